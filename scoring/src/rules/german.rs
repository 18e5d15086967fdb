//! The German words.

use super::{Language, answers, patterns, phrases};

pub(super) fn language() -> Language {
    let mut corrections = answers(&[
        ("nein-alone", r"^(?:nein|nee|nö)(?:[,. ]+(?:nein|nee))*\s*[.!…]*$"),
        ("nein-then", r"^(?:nein|nee|nö)\s*(?:[,.!:;…–—-]+\s*)+[\p{L}\p{N}]+"),
        (
            "nein-pronoun",
            r"^(?:nein|nee|nö) (?:das|ich|du|es|die|der|nicht|so|nimm|mach|bitte|falsch|lass|den|dem|in|im|auf)\b",
        ),
    ]);
    corrections.extend(phrases(CORRECTIONS));
    Language {
        corrections,
        not_corrections: patterns(NOT_CORRECTIONS),
        own_fault: patterns(&[
            r"\bmein (?:fehler|versehen|irrtum)\b|\bmeine schuld\b",
            r"\bich (?:habe|hab|hatte) (?:mich )?(?:\w+ ){0,3}?(?:vertan|geirrt|verschrieben|vertippt|verwechselt|vergessen|falsch (?:geschrieben|gesagt|gemeint|angegeben|geschickt))\b|\bich lag falsch\b",
            r"\b(?:ups|hoppla|sorry|entschuldigung),? ich\b",
        ]),
        lead_ins: patterns(&[
            r"^(?:(?:hm+|ok(?:ay)?|also|naja|na ja|aber|sorry|entschuldige|hey|oh|ach|äh|moment|halt|bitte|danke|gut|und|jetzt|hallo|leider|warte|doch|ja)\b[\s,.!…–—-]*)+",
        ]),
        questions: patterns(&[
            r"^(?:was|warum|wieso|weshalb|wer|wen|wem|wann|wo|wohin|welche[rsmn]?|wie|ist|sind|war|waren|hast|hat|haben|hattest|kannst|kann|könntest|könnte|soll|sollte|sollen|muss|müssen|darf|wird|würdest|willst|gibt|stimmt|geht|machst|bist)\b",
        ]),
        requests: patterns(&[
            r"\b(?:bitte (?:bestätige|sag|teile|gib)|sag (?:mir )?(?:bescheid|ob)|soll ich|möchtest du)\b",
        ]),
        conditions: patterns(&[r"\b(?:wenn|falls|sobald|ob|sofern|solange|bis|könnte|würde)\b"]),
        negators: patterns(&[r"\b(?:nicht|nie|niemals|kein\w*|nichts|ohne|bis|weder|noch nicht|bevor)\b"]),
        completion: phrases(&[
            (
                "fertig",
                r"\b(?:fertig|erledigt|abgeschlossen|fertiggestellt|behoben|gelöst|beendet|vollständig umgesetzt)\b",
            ),
            (
                "ich-habe",
                r"\b(?:ich|wir) (?:habe|haben) .{0,80}?\b(?:erstellt|aktualisiert|hinzugefügt|entfernt|gelöscht|geändert|korrigiert|behoben|gespeichert|installiert|verschoben|umbenannt|geschrieben|gesendet|geschickt|angelegt|eingerichtet|umgesetzt|angepasst|ersetzt|gebaut|ausgeführt|gegossen|repariert|gebucht|reserviert|bestellt|verschickt|versendet|veröffentlicht|storniert|hochgeladen|heruntergeladen|übersetzt)\b",
            ),
            (
                "wurde",
                r"\b(?:wurde|wurden|ist jetzt|sind jetzt|ist nun|sind nun) (?:\w+ ){0,4}?(?:erstellt|aktualisiert|hinzugefügt|entfernt|gelöscht|geändert|korrigiert|behoben|gespeichert|installiert|verschoben|umbenannt|gesendet|angelegt|eingerichtet|umgesetzt|angepasst|ersetzt|online|aktuell|bereit)\b",
            ),
            (
                "ist-gemacht",
                r"\b(?:ist|sind) (?:[\w-]+ ){0,2}?(?:verschickt|versendet|gesendet|gebucht|repariert|gelöscht|verschoben|veröffentlicht|storniert)\b",
            ),
            (
                "funktioniert",
                r"\b(?:funktioniert|läuft|geht) (?:jetzt|nun|wieder|einwandfrei|wie erwartet)\b|\balle tests (?:sind grün|laufen durch|bestehen|bestanden)\b|\b(?:jetzt|nun) funktioniert\b",
            ),
            ("erfolgreich", r"\berfolgreich\b"),
            ("bereit", r"\b(?:ist|sind|alles|steht|stehen) (?:\w+ )?bereit\b"),
        ]),
        not_completion: patterns(&[
            r"\b(?:fast|beinahe|halb|teilweise|noch lange|so gut wie) (?:fertig|erledigt|abgeschlossen)\b",
            r"\bfertig(?:machen|stellen|zustellen|zumachen)\b|\bfertige[nrsm]?\b|\berfolgreiche[nrsm]?\b",
        ]),
        not_yet: patterns(&[
            r"\b(?:wird|werden|werde|kann|könnte|sollte|soll|muss|müssen|sobald|wenn|falls|bis|nachdem|bevor|damit|dann|will|möchte|lass|um)\b",
        ]),
        partial: phrases(&[
            (
                "teilweise",
                r"\b(?:teilweise|unvollständig|zum teil|halb fertig|fast fertig|fast abgeschlossen)\b",
            ),
            (
                "fehlt-noch",
                r"\b(?:fehlt|fehlen) noch\b|\bnoch (?:offen|ausstehend|zu tun|nicht (?:fertig|alles|ganz))\b|\bsteht noch aus\b",
            ),
        ]),
        failure: phrases(&[
            (
                "fehlgeschlagen",
                r"\b(?:fehlgeschlagen|gescheitert|scheitert|(?:schlägt|schlug|schlagen|schlugen) (?:[\w-]+ ){0,4}?fehl|schiefgegangen|schiefgelaufen|abgebrochen|misslungen)\b",
            ),
            ("fehler", r"\b(?:ein|einen|folgender|folgenden|der|es gab|mit) (?:\w+ )?fehler\b"),
            (
                "geht-nicht",
                r"\b(?:funktioniert|funktionierte|geht|ging|klappt|klappte|läuft|lief) (?:\w+ )?nicht\b|\bnicht (?:funktioniert|geklappt|möglich)\b",
            ),
            (
                "kein-zugriff",
                r"\b(?:ich habe|habe ich|ich hatte|wir haben) (?:[\w-]+ ){0,3}?keine?n? (?:zugriff|zugang|berechtigung|rechte)\b|\bfehl(?:t|en) mir (?:[\w-]+ ){0,3}?(?:zugriff|zugang|berechtigung|rechte)\b",
            ),
        ]),
        inability: phrases(&[
            ("kann-nicht", r"\b(?:kann|konnte|können|konnten) (?:[\w-]+ ){0,6}?nicht\b"),
            ("leider", r"\bleider\b"),
            ("nicht-in-der-lage", r"\bnicht (?:in der lage|imstande|gelungen)\b|\bunmöglich\b"),
        ]),
        not_failure: patterns(&[
            r"\b(?:kein\w*|ohne|keinerlei|null|0) (?:\w+ ){0,2}(?:fehler|probleme?|fehlschläge)\b|\b(?:fehlern?|bug) (?:\w+ ){0,3}(?:behoben|gelöst|korrigiert|beseitigt)\b",
            r"\bnicht (?:fehlgeschlagen|gescheitert|abgebrochen)\b|\b(?:fehlermeldung|fehlerbehandlung|fehlercode)\w*\b",
            r"\b(?:du|sie|man|nutzer|niemand) (?:kann|kannst|konnte|können) (?:[\w-]+ ){0,6}?nicht\b|\bkann es kaum erwarten\b|\bnicht mehr\b",
        ]),
        retries: phrases(&[
            (
                "anders",
                r"\b(?:anderer|anderen|neuer|neuen) (?:ansatz|weg)\b|\bversuche es (?:anders|erneut|noch einmal|nochmal)\b",
            ),
            (
                "immer-noch",
                r"\b(?:derselbe|gleiche|gleicher) fehler\b|\b(?:schlägt|funktioniert|geht) immer noch (?:fehl|nicht)\b",
            ),
            (
                "hoppla",
                r"\b(?:hoppla|ups)\b|\b(?:lass mich|ich) (?:das )?(?:korrigiere|korrigieren|behebe|beheben)\b",
            ),
        ]),
        hedges: phrases(&[
            ("sollte", r"\bsollten? (?:jetzt|nun|wieder|damit|eigentlich)\b"),
            (
                "wahrscheinlich",
                r"\b(?:wahrscheinlich|vermutlich|möglicherweise|vielleicht|scheint|anscheinend|ich glaube|ich denke|ich nehme an)\b",
            ),
        ]),
        apologies: phrases(&[(
            "entschuldigung",
            r"\b(?:entschuldigung|entschuldige|entschuldigen|verzeihung|tut mir leid|bedaure)\b",
        )]),
        intentions: phrases(&[(
            "i-will",
            r"^(?:(?:jetzt|nun|als nächstes) werde ich|ich werde|lass mich)\b",
        )]),
        goodbyes: patterns(&[
            r"\b(?:gern geschehen|gerne|bitte schön|bitteschön|keine ursache|tschüss|auf wiedersehen|schönen tag|gute nacht|viel (?:spaß|erfolg|glück))\b",
            r"\b(?:sonst noch|noch etwas|noch was|weitere fragen)\b",
        ]),
        closings: patterns(&[
            r"\b(?:danke|das war(?:'s| alles)?|das ist alles|tschüss|auf wiedersehen|gute nacht|schönen tag)\b",
        ]),
        not_goodbyes: patterns(&[
            r"\b(?:leider|tut mir leid|entschuldigung|nicht in der lage|weiterleiten|weitergeleitet)\b",
        ]),
        error_beginnings: patterns(&[r"^\W*(?:fehler|ausnahme)\s*[:(]"]),
    }
}

const CORRECTIONS: &[(&str, &str)] = &[
    (
        "das-ist-falsch",
        r"\b(?:das|dies|es|die|der|alles|dein\w*)(?: [\w-]+){0,3}? (?:ist|sind|war|waren|wäre|sieht|stimmt) (?:(?:ja|doch|immer noch|noch|leider|komplett|völlig|ganz|total|so|auch|wieder|aber) )*(?:falsch|verkehrt|nicht (?:richtig|korrekt|das|der|die|was|so|mein|gemeint|gefragt|gewünscht)|kaputt|ein fehler|unsinn|quatsch)\b",
    ),
    (
        "das-ist-die-falsche",
        r"\b(?:das|dies|es) (?:ist|war|sind|waren) (?:(?:ja|doch|wieder|immer noch|noch|aber|leider) )*(?:die|der|das|den|eine?|mein\w*) (?:alte|falsche|andere|gleiche|vorige|vorherige)\w*\b",
    ),
    (
        "derselbe-fehler",
        r"\b(?:denselben|den gleichen|den selben|derselbe|der gleiche|dieselben|die gleichen) fehler\b|\bdu (?:machst|vergisst) (?:\w+ )?(?:immer|dauernd|ständig|wieder)\b",
    ),
    (
        "kein-sinn",
        r"\b(?:ergibt|macht|ergeben) (?:doch |überhaupt |so |gar )*kein(?:en)? sinn\b|\bdu hast (?:nur|bloß|lediglich)\b|\b(?:hätte|hatte) ich (?:[\w-]+ ){0,4}?gesagt\b",
    ),
    (
        "stimmt-nicht",
        r"\bstimm(?:t|en) (?:(?:so|immer noch|noch|leider|gar|aber|überhaupt|auch|hier|da|ja) )*nicht\b",
    ),
    (
        "falsch-first",
        r"^(?:falsch|verkehrt|nicht (?:ganz|richtig|korrekt|so|das|der|die|den|dieser?|diese[sn]?|was))\b|^(?:die|der|das|den) falsche[rsn]?\b|^falsche[rsn]? [\w-]+\s*[.!…]*$|^so nicht\b",
    ),
    (
        "du-hast-vergessen",
        r"\b(?:du hast|hast du|ihr habt|du) (?:[\w-]+ ){0,8}?(?:vergessen|vergisst|übersehen|übersiehst|ausgelassen|weggelassen|ignoriert|missverstanden|verwechselt|kaputt ?gemacht|falsch (?:verstanden|gemacht|geschrieben|gelesen|benannt|gesetzt)|erfunden|übersprungen)\b",
    ),
    (
        "du-hast-falsch",
        r"\bdu (?:hast|bist|liegst|benutzt|nimmst|verwendest|machst) (?:[\w-]+ ){0,8}?(?:falsch|falsche[nrsm]?|verkehrt|verkehrte[nrsm]?|doppelt|aus versehen)\b",
    ),
    ("du-hast-nicht", r"\bdu hast (?:[\w-]+ ){0,6}?(?:nicht|nie|kein\w*) (?:[\w-]+ ?){1,3}"),
    (
        "du-solltest",
        r"\bdu (?:solltest|hättest|durftest) (?:[\w-]+ ){0,8}?(?:nicht|sollen|müssen|dürfen|statt)\b",
    ),
    (
        "ich-meinte",
        r"\bich (?:meinte|meine (?:den|die|das)|hatte gemeint|habe (?:[\w-]+ ){0,6}?(?:gemeint|verlangt))\b|\b(?:hab|habe) ich (?:[\w-]+ ){0,4}?(?:gemeint|gesagt|gewollt|verlangt|gebeten|bestellt)\b",
    ),
    (
        "ich-sagte",
        r"\bich (?:sagte|habe (?:doch |dir |dich |ja |schon |ausdrücklich |klar )*(?:[\w-]+ ){0,5}?(?:gesagt|gebeten)|hatte (?:[\w-]+ ){0,5}?(?:gesagt|gebeten))\b",
    ),
    (
        "ich-wollte-nicht",
        r"\bich (?:wollte|brauchte) [^.;]{1,60}?(?:nicht|kein\w*|statt)\b|^ich (?:will|brauche) [^.,;]{1,40}, (?:nicht|kein\w*)\b|\b(?:wollte|will) ich (?:so )?nicht\b",
    ),
    (
        "immer-noch",
        r"\b(?:immer noch|noch immer|weiterhin) (?:[\w-]+ ){0,2}?(?:falsch|kaputt|nicht|kein\w*|derselbe|der gleiche|der selbe|fehler|fehlt|fehlen)\b|\b(?:fehlt|fehlen|kaputt|falsch) (?:immer noch|noch immer)\b",
    ),
    (
        "geht-nicht",
        r"(?:^(?:das|es|so|dies)|\bdein\w*(?: \w+)?|\b(?:die (?:änderung|lösung)|der (?:befehl|link|code))) (?:funktioniert|funktionierte|geht|ging|klappt|klappte|läuft|kompiliert|hilft|passt) (?:(?:so|leider|immer|noch|auch|gar|aber|jetzt|hier|trotzdem) )*nicht\b|^(?:funktioniert|geht|klappt|läuft|passt) (?:(?:so|leider|immer|noch|auch|gar|aber|trotzdem) )*nicht\b",
    ),
    (
        "nochmal",
        r"^(?:versuch(?:e|s)?|probier(?:e|s)?|mach(?:e|s)?|lies)(?: (?:es|das|bitte|doch|meine?\w*|die|den|\w+))* (?:nochmal|noch mal|noch einmal|erneut|neu|richtig|genauer)(?: \w+)?[.!]*$|^(?:nochmal|noch einmal)(?: bitte)?[,.!]",
    ),
    (
        "rueckgaengig",
        r"^(?:mach|nimm|setz|stell|dreh)e? (?:das|es|die \w+|alles|deine \w+)(?: \w+){0,2} (?:rückgängig|zurück)\b|\brückgängig\b",
    ),
    ("hoer-auf", r"^(?:hör|höre) auf,? (?:mit|zu|das|damit|die|immer|\w+ (?:zu|ein\w+))\b|^lass das\b"),
    (
        "sollte-sein",
        r"\b(?:sollte|muss|müsste|soll) (?:[\w-]+ ){0,6}?(?:sein|heißen|stehen|haben),? (?:nicht|statt)\b|\b(?:nicht|statt) [\w .-]{1,40}? (?:sollte|sollten) (?:das|es|da)\b|\b(?:hätte|hätten) (?:[\w-]+ ){0,6}?(?:sollen|müssen)\b",
    ),
    (
        "falsche-x",
        r"\b(?:das|die|der|den) (?:ist |war |sind )?(?:(?:doch|ja|wieder|aber) )*(?:die|der|das|den) falsche[nrs]?\b",
    ),
];

const NOT_CORRECTIONS: &[&str] = &[
    r"\b(?:nein|nee|nö)\W+(?:(?:vielen|besten|lieben) )?(?:danke|dank|nicht nötig|nichts|keine?\w*|alles (?:gut|klar|bestens|super|in ordnung|prima|passt)|schon gut|passt|das (?:war|wars|war's|ist) (?:schon )?(?:alles|es|gut|ok|okay|in ordnung|super|perfekt|toll)|das (?:war's|wars|passt|reicht|genügt)|mehr (?:brauche|ist)|es (?:ist|passt|reicht|geht|läuft)(?: \w+)? ?(?:gut|alles|ok|okay|so|schon)?|ist (?:schon )?(?:gut|ok|okay|in ordnung)|reicht|sonst nichts|ich (?:brauche|habe) (?:nichts|keine?\w*|sonst)|noch nicht|im moment|gerade nicht|momentan|bitte mach weiter|mach (?:ruhig )?weiter|lass dir zeit|perfekt|super)",
    r"\bkein(?:e|en|erlei)? (?:problem|sorge|sorgen|eile|thema|stress|ursache|ahnung|frage|fragen|bedarf|wunder)\b",
    r"\b(?:ist|war|sind|wäre|sieht) (?:(?:ja|doch|gar|auch|so|wirklich|überhaupt|alles) )*nicht (?:(?:so|allzu|weiter|mehr|wirklich|ganz) )*(?:schlimm|schlecht|falsch|nötig|wichtig|dringend|notwendig|tragisch|verkehrt|kaputt|dein\w*|eilig|übel|dumm|das problem|das ende|der rede|so (?:schlimm|wichtig|eilig|dringend))\b",
    r"\bnicht (?:schlecht|schlimm|nötig|wichtig|dringend|verkehrt|das schlechteste|so (?:schlimm|wichtig|eilig|dringend|schnell|schlecht)|der rede wert|die welt|das problem|das ende)\b",
    r"\b(?:was|nichts|etwas|irgendwas|irgendetwas|wer) (?:ist |war |daran |läuft |lief )*(?:falsch|verkehrt|kaputt)\b",
    r"\bdu hast (?:[\w-]+ ){0,4}?(?:nichts|nicht) (?:falsch|vergessen|übersehen|kaputt|schlecht|zu viel|gestört)\b|\bdu (?:musst|brauchst|must) (?:[\w-]+ ){0,4}?nicht\b|\bdu hast (?:kein\w* (?:zeit|eile|fehler|schuld)|nichts)\b",
    r"\bich (?:sagte|habe (?:[\w-]+ ){0,3}?gesagt) (?:ja|hallo|danke|ihm|ihr|ihnen)\b|\bich habe (?:ihm|ihr|ihnen|meine\w*|dem|der|einen|eine) (?:[\w-]+ ){0,4}?(?:gesagt|gebeten)\b",
    r"\bich (?:will|wollte|brauche|möchte) (?:dich |mich |es |das )?(?:nicht (?:stören|drängen|nerven|hetzen|unterbrechen|mehr)|nur|heute nicht|jetzt nicht)",
    r"\bich (?:will|wollte|brauche) .{0,60}?(?:ob|oder) (?:[\w-]+ )*nicht\b|\bnicht nur\b",
    r"\bstimmt\b[,.!]? (?:das|genau|ja|danke)\b",
];
