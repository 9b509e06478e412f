"""A page that tries in every way that a browser has to reach where it may not."""

from loopback import Reply, Visit, WebServer

ATTACKS = """
const tell = what => { const p = document.createElement('p'); p.textContent = what; document.body.append(p); };
const tried = [];
const attack = (name, it) => {
    try { tried.push(Promise.resolve(it()).then(() => name, () => 'no ' + name)); }
    catch (error) { tried.push('no ' + name); } };
for (const place of PLACES) {
    const url = 'http://' + place + '/secret';
    attack('fetch', () => fetch(url, {mode: 'no-cors'}));
    attack('post', () => fetch(url, {mode: 'no-cors', method: 'POST', body: 'x'}));
    attack('xhr', () => new Promise((good, bad) => {
        const it = new XMLHttpRequest(); it.onload = good; it.onerror = bad; it.open('GET', url); it.send(); }));
    attack('socket', () => new Promise((good, bad) => {
        const it = new WebSocket('ws://' + place + '/secret'); it.onopen = good; it.onerror = bad; }));
    attack('events', () => new Promise((good, bad) => {
        const it = new EventSource(url); it.onopen = good; it.onerror = bad; }));
    attack('beacon', () => navigator.sendBeacon(url, 'x'));
    attack('popup', () => window.open(url));
    attack('worker', () => { new Worker(URL.createObjectURL(new Blob(
        [`fetch('${url}', {mode: 'no-cors'}); new WebSocket('ws://${place}/secret')`]))); });
    attack('service', () => navigator.serviceWorker.register('/service.js'));
    for (const html of [`<img src="${url}">`, `<iframe src="${url}"></iframe>`, `<script src="${url}"><\\/script>`,
                        `<object data="${url}"></object>`, `<video src="${url}"></video>`, `<embed src="${url}">`,
                        `<link rel=stylesheet href="${url}">`, `<link rel=prefetch href="${url}">`,
                        `<link rel=preconnect href="http://${place}">`, `<link rel=dns-prefetch href="//${place}">`,
                        `<iframe name=sink></iframe><form target=sink action="${url}" method=post></form>`,
                        `<iframe src="/leads-there?${place}"></iframe>`]) {
        const it = document.createElement('div');
        it.append(document.createRange().createContextualFragment(html));
        document.body.append(it);
        if (it.querySelector('form')) it.querySelector('form').submit();
    }
    attack('redirected', () => fetch('/leads-there?' + place));
    attack('peer', () => { const it = new RTCPeerConnection({iceServers: [{urls: 'stun:' + place}]});
                           it.createDataChannel('x'); it.createOffer().then(offer => it.setLocalDescription(offer)); });
    attack('transport', () => new WebTransport('https://' + place + '/secret').ready);
}
Promise.all(tried).then(told => tell('All told: ' + told.join(', ') + '.'));
"""


def put_attack(web_server: WebServer, *places: str) -> str:
    """Serve a page that tries in every way that a browser has to reach these hosts and ports."""

    def lead(visit: Visit) -> Reply:
        return Reply(status=302, headers={"Location": f"http://{visit.path.partition('?')[2]}/secret"})

    web_server.put("/leads-there", lead)
    web_server.put("/service.js", Reply("", content_type="text/javascript"))
    return web_server.put("/attack", f"<body><script>{ATTACKS.replace('PLACES', str(list(places)))}</script></body>")
