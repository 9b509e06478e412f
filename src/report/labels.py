"""The words that the code itself puts into a report, in seven languages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labels:
    """The headings and phrases of a report in one language; braces are filled by `str.format`."""

    summary: str
    findings: str
    further: str
    references: str
    searched: str
    missing: str
    nothing: str
    nothing_said: str
    no_passage: str
    advice: str
    advised: tuple[str, str, str]
    confidence: str
    levels: dict[str, str]
    sources: str
    extractive: str
    questions: str
    folders: str
    passages: str
    unmentioned: str
    uncited: str
    dropped: str
    partial: str
    stopped: str
    page: str
    line: str
    lines: str
    retrieved: str
    published: str
    local: str
    credibility: str
    caution: str
    web: str
    only_given: str
    no_web: str
    no_files: str


_EN = Labels(
    summary="Summary",
    findings="Findings",
    further="Further findings",
    references="References",
    searched="What was searched",
    missing="What is missing",
    nothing="Nothing was found",
    nothing_said="No passage was found that answers this question, so nothing was written.",
    no_passage="No passage was found for this section.",
    advice="What to try",
    advised=(
        "Ask with the words that the documents use, or ask a broader question.",
        "Check that the folder holds the documents that you mean, and that they contain text (a scan does not).",
        "Add another folder or another source.",
    ),
    confidence="Confidence",
    levels={"HIGH": "high", "MEDIUM": "medium", "LOW": "low"},
    sources="{n} cited of {m} found",
    extractive="Written without a model: every sentence is quoted from a source.",
    questions="Searched for",
    folders="Searched in",
    passages="Passages found: {n} (sources: {m})",
    unmentioned="Words of the question that no passage has: {words}",
    uncited="Sentences without a citation: {n}.",
    dropped="Citations of sources that do not exist, removed: {n}.",
    partial="This report is incomplete; see “{missing}” below.",
    stopped="The run was stopped before its end; this is what there was.",
    page="page {n}",
    line="line {n}",
    lines="lines {n}–{m}",
    retrieved="retrieved {date}",
    published="published {date}",
    local="local file",
    credibility="credibility {score}/100",
    caution="unknown domain, treat with caution",
    web="On the web: {n} pages read for this report",
    only_given="On the web: only the given pages were read",
    no_web="The web was not searched.",
    no_files="No local files were searched.",
)

_DE = Labels(
    summary="Zusammenfassung",
    findings="Ergebnisse",
    further="Weitere Funde",
    references="Quellen",
    searched="Was durchsucht wurde",
    missing="Was fehlt",
    nothing="Nichts gefunden",
    nothing_said="Es fand sich keine Stelle, die diese Frage beantwortet; darum wurde nichts geschrieben.",
    no_passage="Zu diesem Abschnitt fand sich keine Stelle.",
    advice="Was man versuchen kann",
    advised=(
        "Mit den Wörtern der Dokumente fragen oder die Frage weiter fassen.",
        "Prüfen, ob der Ordner die gemeinten Dokumente enthält und ob sie Text enthalten (ein Scan enthält keinen).",
        "Einen weiteren Ordner oder eine weitere Quelle hinzunehmen.",
    ),
    confidence="Verlässlichkeit",
    levels={"HIGH": "hoch", "MEDIUM": "mittel", "LOW": "gering"},
    sources="{n} von {m} gefundenen Quellen zitiert",
    extractive="Ohne Modell geschrieben: jeder Satz ist wörtlich aus einer Quelle.",
    questions="Gesucht nach",
    folders="Gesucht in",
    passages="Gefundene Stellen: {n} (Quellen: {m})",
    unmentioned="Wörter der Frage, die in keiner Stelle stehen: {words}",
    uncited="Sätze ohne Beleg: {n}.",
    dropped="Entfernte Verweise auf Quellen, die es nicht gibt: {n}.",
    partial="Dieser Bericht ist unvollständig; siehe „{missing}“ unten.",
    stopped="Der Lauf wurde vor seinem Ende angehalten; das lag bis dahin vor.",
    page="Seite {n}",
    line="Zeile {n}",
    lines="Zeilen {n}–{m}",
    retrieved="abgerufen am {date}",
    published="veröffentlicht am {date}",
    local="lokale Datei",
    credibility="Glaubwürdigkeit {score}/100",
    caution="unbekannte Domain, mit Vorsicht zu lesen",
    web="Im Web: {n} Seiten für diesen Bericht gelesen",
    only_given="Im Web: nur die angegebenen Seiten wurden gelesen",
    no_web="Das Web wurde nicht durchsucht.",
    no_files="Lokale Dateien wurden nicht durchsucht.",
)

_FR = Labels(
    summary="Résumé",
    findings="Résultats",
    further="Autres résultats",
    references="Références",
    searched="Ce qui a été cherché",
    missing="Ce qui manque",
    nothing="Rien n’a été trouvé",
    nothing_said="Aucun passage ne répond à cette question ; rien n’a donc été écrit.",
    no_passage="Aucun passage n’a été trouvé pour cette section.",
    advice="Que faire",
    advised=(
        "Reprendre les mots des documents, ou poser une question plus large.",
        "Vérifier que le dossier contient les documents voulus et qu’ils contiennent du texte (un scan n’en a pas).",
        "Ajouter un autre dossier ou une autre source.",
    ),
    confidence="Confiance",
    levels={"HIGH": "haute", "MEDIUM": "moyenne", "LOW": "faible"},
    sources="{n} sources citées sur {m} trouvées",
    extractive="Écrit sans modèle : chaque phrase est citée mot à mot d’une source.",
    questions="Recherches",
    folders="Dossiers",
    passages="Passages trouvés : {n} (sources : {m})",
    unmentioned="Mots de la question absents de tous les passages : {words}",
    uncited="Phrases sans citation : {n}.",
    dropped="Renvois supprimés vers des sources inexistantes : {n}.",
    partial="Ce rapport est incomplet ; voir « {missing} » ci-dessous.",
    stopped="L’exécution a été arrêtée avant sa fin ; voici ce qu’il y avait.",
    page="page {n}",
    line="ligne {n}",
    lines="lignes {n}–{m}",
    retrieved="consulté le {date}",
    published="publié le {date}",
    local="fichier local",
    credibility="crédibilité {score}/100",
    caution="domaine inconnu, à lire avec prudence",
    web="Sur le web : {n} pages lues pour ce rapport",
    only_given="Sur le web : seules les pages indiquées ont été lues",
    no_web="Le web n’a pas été consulté.",
    no_files="Aucun fichier local n’a été consulté.",
)

_ES = Labels(
    summary="Resumen",
    findings="Hallazgos",
    further="Otros hallazgos",
    references="Referencias",
    searched="Qué se buscó",
    missing="Qué falta",
    nothing="No se encontró nada",
    nothing_said="Ningún pasaje responde a esta pregunta, así que no se escribió nada.",
    no_passage="No se encontró ningún pasaje para esta sección.",
    advice="Qué probar",
    advised=(
        "Preguntar con las palabras de los documentos, o hacer una pregunta más amplia.",
        "Comprobar que la carpeta contiene los documentos deseados y que tienen texto (un escaneo no lo tiene).",
        "Añadir otra carpeta u otra fuente.",
    ),
    confidence="Confianza",
    levels={"HIGH": "alta", "MEDIUM": "media", "LOW": "baja"},
    sources="{n} fuentes citadas de {m} encontradas",
    extractive="Escrito sin modelo: cada frase se cita literalmente de una fuente.",
    questions="Búsquedas",
    folders="Carpetas",
    passages="Pasajes encontrados: {n} (fuentes: {m})",
    unmentioned="Palabras de la pregunta que no están en ningún pasaje: {words}",
    uncited="Frases sin cita: {n}.",
    dropped="Citas eliminadas de fuentes que no existen: {n}.",
    partial="Este informe está incompleto; véase «{missing}» abajo.",
    stopped="La ejecución se detuvo antes de terminar; esto es lo que había.",
    page="página {n}",
    line="línea {n}",
    lines="líneas {n}–{m}",
    retrieved="consultado el {date}",
    published="publicado el {date}",
    local="archivo local",
    credibility="credibilidad {score}/100",
    caution="dominio desconocido, léase con cautela",
    web="En la web: {n} páginas leídas para este informe",
    only_given="En la web: solo se leyeron las páginas indicadas",
    no_web="No se buscó en la web.",
    no_files="No se buscó en archivos locales.",
)

_IT = Labels(
    summary="Sintesi",
    findings="Risultati",
    further="Altri risultati",
    references="Riferimenti",
    searched="Che cosa è stato cercato",
    missing="Che cosa manca",
    nothing="Non è stato trovato nulla",
    nothing_said="Nessun passo risponde a questa domanda, perciò non è stato scritto nulla.",
    no_passage="Nessun passo trovato per questa sezione.",
    advice="Che cosa provare",
    advised=(
        "Usare le parole dei documenti, oppure porre una domanda più ampia.",
        "Controllare che la cartella contenga i documenti voluti e che abbiano testo (una scansione non ne ha).",
        "Aggiungere un'altra cartella o un'altra fonte.",
    ),
    confidence="Affidabilità",
    levels={"HIGH": "alta", "MEDIUM": "media", "LOW": "bassa"},
    sources="{n} fonti citate su {m} trovate",
    extractive="Scritto senza modello: ogni frase è citata alla lettera da una fonte.",
    questions="Ricerche",
    folders="Cartelle",
    passages="Passi trovati: {n} (fonti: {m})",
    unmentioned="Parole della domanda che non sono in nessun passo: {words}",
    uncited="Frasi senza citazione: {n}.",
    dropped="Rimandi rimossi a fonti che non esistono: {n}.",
    partial="Questo rapporto è incompleto; vedi «{missing}» sotto.",
    stopped="L'esecuzione è stata fermata prima della fine; questo è quanto c'era.",
    page="pagina {n}",
    line="riga {n}",
    lines="righe {n}–{m}",
    retrieved="consultato il {date}",
    published="pubblicato il {date}",
    local="file locale",
    credibility="credibilità {score}/100",
    caution="dominio sconosciuto, da leggere con cautela",
    web="Sul web: {n} pagine lette per questo rapporto",
    only_given="Sul web: sono state lette solo le pagine indicate",
    no_web="Il web non è stato consultato.",
    no_files="Nessun file locale è stato consultato.",
)

_PT = Labels(
    summary="Resumo",
    findings="Resultados",
    further="Outros resultados",
    references="Referências",
    searched="O que foi pesquisado",
    missing="O que falta",
    nothing="Nada foi encontrado",
    nothing_said="Nenhuma passagem responde a esta pergunta, por isso nada foi escrito.",
    no_passage="Nenhuma passagem foi encontrada para esta secção.",
    advice="O que tentar",
    advised=(
        "Perguntar com as palavras dos documentos, ou fazer uma pergunta mais ampla.",
        "Verificar se a pasta contém os documentos pretendidos e se têm texto (uma digitalização não tem).",
        "Acrescentar outra pasta ou outra fonte.",
    ),
    confidence="Confiança",
    levels={"HIGH": "alta", "MEDIUM": "média", "LOW": "baixa"},
    sources="{n} fontes citadas de {m} encontradas",
    extractive="Escrito sem modelo: cada frase é citada literalmente de uma fonte.",
    questions="Pesquisas",
    folders="Pastas",
    passages="Passagens encontradas: {n} (fontes: {m})",
    unmentioned="Palavras da pergunta que não estão em nenhuma passagem: {words}",
    uncited="Frases sem citação: {n}.",
    dropped="Citações removidas de fontes que não existem: {n}.",
    partial="Este relatório está incompleto; ver «{missing}» abaixo.",
    stopped="A execução foi parada antes do fim; isto é o que havia.",
    page="página {n}",
    line="linha {n}",
    lines="linhas {n}–{m}",
    retrieved="consultado em {date}",
    published="publicado em {date}",
    local="ficheiro local",
    credibility="credibilidade {score}/100",
    caution="domínio desconhecido, ler com cautela",
    web="Na web: {n} páginas lidas para este relatório",
    only_given="Na web: só foram lidas as páginas indicadas",
    no_web="A web não foi pesquisada.",
    no_files="Nenhum ficheiro local foi pesquisado.",
)

_NL = Labels(
    summary="Samenvatting",
    findings="Bevindingen",
    further="Verdere bevindingen",
    references="Bronnen",
    searched="Wat is doorzocht",
    missing="Wat ontbreekt",
    nothing="Niets gevonden",
    nothing_said="Geen enkele passage beantwoordt deze vraag; daarom is er niets geschreven.",
    no_passage="Voor deze paragraaf is geen passage gevonden.",
    advice="Wat te proberen",
    advised=(
        "Vraag met de woorden van de documenten, of stel een ruimere vraag.",
        "Controleer of de map de bedoelde documenten bevat en of ze tekst bevatten (een scan niet).",
        "Voeg een andere map of een andere bron toe.",
    ),
    confidence="Betrouwbaarheid",
    levels={"HIGH": "hoog", "MEDIUM": "gemiddeld", "LOW": "laag"},
    sources="{n} van {m} gevonden bronnen geciteerd",
    extractive="Zonder model geschreven: elke zin is letterlijk uit een bron geciteerd.",
    questions="Gezocht naar",
    folders="Gezocht in",
    passages="Gevonden passages: {n} (bronnen: {m})",
    unmentioned="Woorden van de vraag die in geen passage staan: {words}",
    uncited="Zinnen zonder bronvermelding: {n}.",
    dropped="Verwijderde verwijzingen naar bronnen die niet bestaan: {n}.",
    partial="Dit rapport is onvolledig; zie “{missing}” hieronder.",
    stopped="De run is voor het einde gestopt; dit is wat er was.",
    page="pagina {n}",
    line="regel {n}",
    lines="regels {n}–{m}",
    retrieved="geraadpleegd op {date}",
    published="gepubliceerd op {date}",
    local="lokaal bestand",
    credibility="geloofwaardigheid {score}/100",
    caution="onbekend domein, met voorzichtigheid te lezen",
    web="Op het web: {n} pagina’s gelezen voor dit rapport",
    only_given="Op het web: alleen de opgegeven pagina’s zijn gelezen",
    no_web="Het web is niet doorzocht.",
    no_files="Er zijn geen lokale bestanden doorzocht.",
)

_LABELS = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES, "it": _IT, "pt": _PT, "nl": _NL}

REFERENCE_HEADINGS = frozenset(
    {labels.references.casefold() for labels in _LABELS.values()}
    | {"reference list", "sources", "works cited", "citations", "bibliography", "literatur", "quellenverzeichnis"}
    | {"literaturverzeichnis", "sources citées", "bibliographie", "bibliografía", "fuentes", "fonti", "bibliografia"}
    | {"fontes", "referenties"}
)
"""Headings, in lower case, under which a model lists references of its own."""

SUMMARY_HEADINGS = frozenset(
    {labels.summary.casefold() for labels in _LABELS.values()} | {"executive summary", "abstract", "tl;dr", "overview"}
)
"""Headings, in lower case, that mean the summary which every report has anyway."""


def labels(language: str) -> Labels:
    """Return the words for a language code; English for a language that is not in the table."""
    return _LABELS.get(language, _EN)
