"""Two sources that give one attribute of one thing otherwise contradict each other, whatever words they choose."""

from evidence.test_contradictions import between, turned

REAL = [
    ("Der Ohridsee hat eine maximale Tiefe von 311 Metern.", "Der Ohridsee ist 288 Meter tief.", ""),
    ("La tour Montparnasse a une hauteur de 209 mètres.", "La tour Montparnasse mesure 231 mètres de haut.", ""),
    ("The lake is 311 m deep at its deepest point.", "The maximum depth of the lake is 281 metres.", "Lake Ohrid"),
    ("Lake Ohrid has a maximum depth of 288 metres.", "Lake Ohrid is 311 m deep.", ""),
    ("The Gotthard Base Tunnel has a length of 57.1 km.", "The Gotthard Base Tunnel is 53.9 kilometres long.", ""),
    ("The town of Hallstatt has a population of 778.", "Hallstatt has 1,240 inhabitants.", "Hallstatt"),
    ("About 9,000 people live in Visby.", "Visby has a population of 24,000.", "Visby"),
    (
        "The Sahara covers an area of 9.2 million square kilometres.",
        "The area of the Sahara is 11.1 million square kilometres.",
        "Sahara",
    ),
    ("The University of Coimbra was established in 1290.", "The University of Coimbra was founded in 1308.", ""),
    ("The Suez Canal opened in 1869.", "The Suez Canal was inaugurated in 1867.", "Suez Canal"),
    ("Ada Lovelace died on 27 November 1852.", "Ada Lovelace's death was on 29 November 1852.", "Ada Lovelace"),
    (
        "The stadium of Dortmund holds 81,365 spectators.",
        "The stadium of Dortmund has a capacity of 74,000 spectators.",
        "Dortmund",
    ),
    ("Der Bodensee ist 251 Meter tief.", "Die größte Tiefe des Bodensees beträgt 254 Meter.", "Bodensee"),
    ("Loch Ness is 230 metres deep.", "Loch Ness reaches a depth of 272 m.", "Loch Ness"),
    ("The Volga has a length of 3,530 kilometres.", "The Volga is 3,690 km long.", ""),
    ("The Burj Khalifa is 828 metres high.", "The height of the Burj Khalifa is 818 m.", ""),
    ("Iceland has 387,000 inhabitants.", "The population of Iceland is 340,000.", "Iceland"),
    (
        "Lake Balaton covers an area of 592 square kilometres.",
        "Lake Balaton has a surface area of 612 km².",
        "Lake Balaton",
    ),
    ("The bell of Cologne weighs 24 tonnes.", "The bell of Cologne has a weight of 21 tonnes.", "Cologne"),
    ("The company Olivetti was founded in 1908.", "Olivetti was established in 1911.", "Olivetti"),
    ("The Firth Bridge was opened in 1890.", "The Firth Bridge was inaugurated in 1889.", ""),
    ("The concert hall of Oslo has a capacity of 1,400 seats.", "The concert hall of Oslo seats 1,650 people.", "Oslo"),
    ("MongoDB listens on port 27017 by default.", "The default port of MongoDB is 27018.", ""),
    ("The Great Belt Bridge was completed in 1998.", "Construction of the Great Belt Bridge was finished in 1996.", ""),
    ("The Mariana Trench has a depth of 10,984 metres.", "The Mariana Trench is 11,034 m deep.", ""),
    ("Die Zugspitze ist 2.962 Meter hoch.", "Die Höhe der Zugspitze beträgt 2.950 Meter.", "Zugspitze"),
    ("Caffeine has a boiling point of 178 °C.", "The boiling point of caffeine is 238 °C.", "Caffeine"),
]
"""As (one, other, what stands above both)."""


def test_an_attribute_that_is_given_otherwise_in_other_words_is_found() -> None:
    assert [case for case in REAL if (len(between(*case)), len(turned(*case))) != (1, 1)] == []


ALIKE = [
    ("Lake Ohrid is 288 metres deep.", "The average depth of Lake Ohrid is 155 metres.", "Lake Ohrid"),
    ("Lake Ohrid is 30 km long.", "Lake Ohrid is 15 km wide.", "Lake Ohrid"),
    ("Lake Ohrid is 288 metres deep.", "Lake Ohrid lies at an altitude of 693 metres.", "Lake Ohrid"),
    ("Lake Ohrid is 288 metres deep.", "Lake Prespa has a depth of 54 metres.", "Lakes"),
    ("The tunnel has a length of 57 km.", "The tunnel is 9 metres wide.", "Gotthard"),
    ("The Gotthard Base Tunnel is 57 km long.", "The Gotthard Road Tunnel has a length of 16.9 km.", "Gotthard"),
    ("Ulm Minster is 161 metres tall.", "The nave of Ulm Minster has a height of 41 metres.", "Ulm Minster"),
    ("Visby has 24,000 inhabitants.", "The region of Visby has a population of 61,000.", "Visby"),
    ("Visby has 24,000 inhabitants.", "In 1900 the population of Visby was 8,300.", "Visby"),
    (
        "The Sahara covers 9.2 million square kilometres.",
        "The Sahara has an area of 3.6 million square miles.",
        "Sahara",
    ),
    ("The blue whale weighs up to 190 tonnes.", "The heart of the blue whale weighs 180 kilograms.", "Blue whale"),
    ("The blue whale weighs up to 190 tonnes.", "A newborn blue whale has a weight of 3 tonnes.", "Blue whale"),
    ("The university was founded in 1290.", "The faculty of law was established in 1308.", "Coimbra"),
    ("The Suez Canal opened in 1869.", "The new Suez Canal was inaugurated in 2015.", "Suez Canal"),
    ("The Suez Canal was opened in 1869.", "Work on the Suez Canal was begun in 1859.", "Suez Canal"),
    ("Ada Lovelace died on 27 November 1852.", "Ada Lovelace was born on 10 December 1815.", "Ada Lovelace"),
    (
        "The stadium holds 81,365 spectators.",
        "For international games the stadium has a capacity of 65,829.",
        "Dortmund",
    ),
    (
        "Kubernetes needs 2 GB of memory on each worker.",
        "Kubernetes needs 4 GB of memory on the control plane.",
        "Kubernetes",
    ),
    ("Redis listens on port 6379 by default.", "Redis Sentinel listens on port 26379 by default.", "Redis"),
    ("Der Bodensee ist 251 Meter tief.", "Die mittlere Tiefe des Bodensees beträgt 90 Meter.", "Bodensee"),
    ("The maximum number of columns is 2000 in SQLite.", "The default number of columns in SQLite is 100.", "Limits"),
    ("A page of PostgreSQL has 8 kB.", "A segment of PostgreSQL has a size of 16 MB.", "WAL"),
    ("The timeout of the server is 30 seconds.", "The timeout of the client is 60 seconds.", "HTTP"),
    ("The bridge is 2,460 metres long.", "The main span of the bridge has a length of 521 metres.", "Forth Bridge"),
    ("The river is 1,233 km long.", "In Germany the river has a length of 865 km.", "Rhine"),
    (
        "The castle of Prague covers 70,000 square metres.",
        "The garden of the castle of Prague has an area of 36,000 square metres.",
        "Prague",
    ),
    (
        "The company has 5,000 employees.",
        "The company Bosch employs 400,000 people worldwide.",
        "Bosch",
    ),
    ("Norway has 5.5 million inhabitants.", "The population of Norway is about 5.4 million.", "Norway"),
    ("The house of Goethe was built in 1755.", "The house of Goethe was rebuilt in 1951.", "Goethe"),
    ("The first edition was published in 1859.", "The sixth edition was published in 1872.", "Origin of Species"),
    ("Loch Ness is 230 metres deep.", "The mean depth of Loch Ness is 132 metres.", "Loch Ness"),
    ("Loch Ness is 36 km long.", "Loch Lomond has a length of 39 km.", "Lochs"),
    ("The Volga is 3,530 km long.", "The Volga has a width of 2.5 km at Saratov.", "Volga"),
    ("The Volga has a length of 3,530 km.", "The navigable length of the Volga is 3,200 km.", "Volga"),
    (
        "The Burj Khalifa is 828 metres high.",
        "The roof of the Burj Khalifa has a height of 739 metres.",
        "Burj Khalifa",
    ),
    ("Iceland has 387,000 inhabitants.", "The population of Reykjavik is 139,000.", "Iceland"),
    ("Iceland has 387,000 inhabitants.", "By 2050 the population of Iceland will be 450,000.", "Iceland"),
    (
        "Lake Balaton covers 592 square kilometres.",
        "The catchment of Lake Balaton has an area of 5,774 square kilometres.",
        "Balaton",
    ),
    ("The bell of Cologne weighs 24 tonnes.", "The clapper of the bell of Cologne has a weight of 600 kg.", "Cologne"),
    ("Olivetti was founded in 1908.", "Olivetti's factory in Ivrea was opened in 1896.", "Olivetti"),
    ("Olivetti was founded in 1908.", "Olivetti WebResearcher was established in 1986.", "Olivetti"),
    ("The Forth Bridge was opened in 1890.", "The Forth Road Bridge was inaugurated in 1964.", "Forth"),
    (
        "The concert hall of Oslo has 1,400 seats.",
        "The small hall of the concert hall of Oslo has a capacity of 266 seats.",
        "Oslo",
    ),
    (
        "MongoDB listens on port 27017 by default.",
        "A shard server of MongoDB listens on port 27018 by default.",
        "MongoDB",
    ),
    ("MySQL listens on port 3306.", "The default port of PostgreSQL is 5432.", "Databases"),
    (
        "The Great Belt Bridge was completed in 1998.",
        "The design of the Great Belt Bridge was completed in 1991.",
        "Great Belt",
    ),
    ("The Mariana Trench is 10,984 metres deep.", "The Tonga Trench has a depth of 10,820 metres.", "Trenches"),
    ("The Mariana Trench is 2,550 km long.", "The Mariana Trench has a depth of 10,984 metres.", "Mariana Trench"),
    ("Die Zugspitze ist 2.962 Meter hoch.", "Die Bergstation der Zugspitze liegt in 2.943 Metern Höhe.", "Zugspitze"),
    (
        "La tour Montparnasse mesure 209 mètres.",
        "La terrasse de la tour Montparnasse est à une hauteur de 196 mètres.",
        "Tour",
    ),
    ("Caffeine has a melting point of 238 °C.", "Caffeine has a boiling point of 178 °C.", "Caffeine"),
    (
        "The limit of SQLite is 999 variables.",
        "The limit of SQLite is 32766 variables for versions after 3.32.0.",
        "SQLite",
    ),
    (
        "The cache of Firefox holds 50 MB on Android.",
        "The cache of Firefox has a size of 350 MB on desktops.",
        "Firefox",
    ),
    ("Sweden won 10 gold medals.", "Sweden won 7 silver medals.", "Sweden"),
    ("Rome has 2.8 million inhabitants.", "The metropolitan area of Rome has a population of 4.3 million.", "Rome"),
    ("The cathedral of Milan is 158 metres long.", "The cathedral of Milan is 108 metres high.", "Milan"),
    ("Bolivia covers 1,098,581 square kilometres.", "Bolivia has an area of 424,164 square miles.", "Bolivia"),
    (
        "The speed limit in Germany is 50 km/h in towns.",
        "The speed limit in Germany is 100 km/h outside towns.",
        "Germany",
    ),
    ("The first steam engine of Watt was built in 1776.", "The last steam engine of Watt was built in 1800.", "Watt"),
    ("Vienna has 2 million inhabitants.", "Vienna had 1.5 million inhabitants.", "Vienna"),
]


def test_another_attribute_or_another_thing_is_let_be() -> None:
    assert [case for case in ALIKE if between(*case) or turned(*case)] == []
