//! The Spanish words.

use super::{Language, answers, patterns, phrases};

pub(super) fn language() -> Language {
    let mut corrections = answers(&[(
        "no-then",
        r"^no\s*(?:[,.!:;…–—-]+\s*)+(?:eso|esto|ese|esta|este|así|as[ií]|yo|te|lo|la|los|las|le|el|está|es|era|quería|queria|quiero|usa|pon|haz|cambia|debe|debía|tiene|tenía|mejor|sigue|ahí|vuelve|en|con|a|al|solo|sólo|dije|me|sino|ponlo|hazlo|borra|deja|úsalo|usalo|mira)\b",
    )]);
    corrections.extend(phrases(CORRECTIONS));
    Language {
        corrections,
        not_corrections: patterns(NOT_CORRECTIONS),
        own_fault: patterns(&[
            r"\b(?:error|culpa|fallo) m[ií][oa]?\b|\bmi (?:error|culpa|fallo)\b",
            r"\bme (?:equivoqu[eé]|he equivocado|confund[ií]|expliqu[eé] mal|he explicado mal|olvid[eé])\b",
            r"\btienes razón,? (?:yo )?(?:estaba|me|fui)\b|\byo estaba equivocad[oa]\b",
            r"\b(?:lo )?(?:escrib[ií]|dije|puse) mal\b|\bperd[oó]n,? (?:quer[ií]a|quise|era|me)\b",
        ]),
        lead_ins: patterns(&[
            r"^(?:(?:hola|pues|bueno|pero|oye|ay|uy|vale|ok|perdona|perdón|disculpa|espera|mira|gracias|y|a ver|por favor|eh|hmm+)\b[\s,.!¡…]*|¡)+",
        ]),
        questions: patterns(&[
            r"^¿",
            r"^(?:qué|que|por qué|quién|cuándo|dónde|cuál|cómo|hay|está|es|puedes|puede|podrías|tienes|sabes|has|te)\b",
        ]),
        requests: patterns(&[
            r"\b(?:por favor,? (?:confirma|confirme|indica|dime)|dime (?:si|cuál|qué)|avísame si|quieres que)\b",
        ]),
        conditions: patterns(&[r"\b(?:si|cuando|en caso de que|a menos que|hasta que|siempre que)\s"]),
        negators: patterns(&[r"\b(?:no|nada|nunca|jamás|sin|hasta|tampoco|ni)\b"]),
        completion: phrases(&[
            (
                "listo",
                r"\b(?:listo|lista|listos|listas|hecho|terminado|terminada|completado|completada|finalizado|finalizada|acabado|solucionado|solucionada|resuelto|resuelta|arreglado|arreglada|guardado|guardada|creado|creada|actualizado|actualizada|instalado|instalada|corregido|corregida)\b",
            ),
            (
                "he-hecho",
                r"\b(?:he|hemos|ya) (?:hecho|terminado|completado|creado|actualizado|arreglado|corregido|añadido|eliminado|borrado|guardado|enviado|instalado|movido|cambiado|solucionado|escrito|reservado|comprado|programado|publicado|desplegado|cancelado|subido|descargado|configurado|renombrado|reemplazado|traducido|copiado)\b|\b(?:arreglé|corregí|creé|actualicé|añadí|eliminé|borré|guardé|envié|instalé|moví|cambié|reservé|terminé|completé|solucioné|publiqué|desplegué|cancelé|programé)\b",
            ),
            (
                "funciona",
                r"\b(?:ya|ahora) funciona\b|\bfunciona (?:correctamente|bien|perfectamente)\b|\b(?:todas las )?pruebas (?:pasan|han pasado|pasaron)\b|\btodo (?:en orden|correcto|está bien)\b",
            ),
            (
                "titular",
                r"^(?:el |la |tu |su )?(?:[\p{L}-]+ ){1,2}(?:enviad|cread|guardad|reservad|actualizad|eliminad|borrad|añadid|programad|instalad|cancelad|publicad|desplegad)[oa]s?\s*[.!…]*$",
            ),
            ("exito", r"\b(?:con éxito|exitosamente|correctamente)\b"),
        ]),
        not_completion: patterns(&[
            r"\b(?:lista|listas) (?:de|con|completa)\b|\b(?:la|una|las|unas|siguiente|esta) listas?\b",
            r"\bcasi (?:listo|lista|terminado|terminada|hecho|acabado|completado)\b|\bde hecho\b",
            r"\b(?:a medio|medio) (?:hecho|terminar)\b",
        ]),
        not_yet: patterns(&[
            r"\b(?:estará|estarán|será|serán|debe|debería|puede|podría|hay que|falta|cuando|si|en cuanto|una vez|para|voy a|vamos a|quedará|queda|antes|hasta|necesita)\b",
        ]),
        partial: phrases(&[
            (
                "parcial",
                r"\b(?:parcial|parcialmente|incompleto|incompleta|a medias|casi (?:listo|lista|terminado|terminada|hecho))\b",
            ),
            (
                "falta",
                r"\b(?:aún|todavía) (?:falta|faltan|queda|quedan)\b|\bqueda(?:n)? (?:pendiente|pendientes|por)\b|\bfalta(?:n)? (?:por|aún|todavía)\b",
            ),
        ]),
        failure: phrases(&[
            ("fallo", r"\b(?:falló|fallo|falla|fallan|fallaron|fallado|fallando|fracasó|ha fallado)\b"),
            (
                "error",
                r"\b(?:hubo|hay|ocurrió|se produjo|dio|da|encontré|devolvió) (?:un|el siguiente|algunos|varios)? ?(?:error|errores|problema)\b",
            ),
            (
                "no-funciona",
                r"\bno (?:funciona|funcionó|funcionan|ha funcionado|ha sido posible|es posible|fue posible)\b",
            ),
            ("sin-acceso", r"\bno (?:tengo|tenemos|tenía) (?:\w+ )?(?:acceso|permisos?|autorización)\b"),
        ]),
        inability: phrases(&[
            (
                "no-puedo",
                r"\bno (?:puedo|pude|podemos|pudimos|he podido|hemos podido|se pudo|se ha podido|logré|logro|consigo|conseguí|he logrado|he conseguido|soy capaz|encontré|encuentro)\b",
            ),
            ("lamentablemente", r"\b(?:lamentablemente|desafortunadamente|desgraciadamente|por desgracia)\b"),
            ("imposible", r"\b(?:imposible|incapaz)\b"),
        ]),
        not_failure: patterns(&[
            r"\b(?:sin|ningún|ningun|ninguna|cero|0|no hubo|no hay|corregí|corregido|arreglé|arreglado|solucionado|resuelto) (?:\w+ ){0,2}(?:fallo|fallos|error|errores|problema|problemas)\b",
            r"\bno (?:falla|falló|fallan|fallaron|ha fallado)\b|\bya no\b|\bno puedo (?:esperar|evitar)\b",
        ]),
        retries: phrases(&[
            (
                "otro-enfoque",
                r"\b(?:otro|nuevo|distinto) (?:enfoque|método|camino)\b|\bde otra (?:forma|manera)\b",
            ),
            ("sigue-fallando", r"\bsigue (?:fallando|sin funcionar|dando)\b|\bel mismo (?:error|problema)\b"),
            ("intento", r"\b(?:voy a|vamos a|déjame|intentaré|lo) (?:corregir|intentar|intento|arreglar)\b"),
        ]),
        hedges: phrases(&[
            ("deberia", r"\bdebería(?:n)? (?:funcionar|estar|bastar)\b"),
            (
                "probablemente",
                r"\b(?:probablemente|posiblemente|seguramente|quizás?|tal vez|parece que|creo que|supongo)\b",
            ),
        ]),
        apologies: phrases(&[(
            "perdon",
            r"\b(?:lo siento|perdón|perdona|disculpa|disculpe|disculpas|lamento)\b",
        )]),
        intentions: phrases(&[("i-will", r"^(?:(?:ahora|luego) )?(?:voy a|déjame|déjeme)\b")]),
        goodbyes: patterns(&[
            r"\b(?:de nada|un placer|con gusto|hasta luego|adiós|que tengas|que tenga|buen día|buenas noches)\b",
            r"\b(?:algo más|alguna otra cosa|en qué más)\b",
        ]),
        closings: patterns(&[r"\b(?:gracias|eso es todo|nada más|adiós|hasta luego|buenas noches)\b"]),
        not_goodbyes: patterns(&[r"\b(?:lo siento|no puedo|no pude|transfer\w+)\b"]),
        error_beginnings: patterns(&[r"^\W*(?:error|fallo|excepción)\s*[:(]"]),
    }
}

const CORRECTIONS: &[(&str, &str)] = &[
    (
        "no-es-lo-que",
        r"\bno (?:es|era|fue|son|eran) (?:eso|así|ese|esa|esto|este|esta|el|la|los|las|lo|correcto|correcta|correctos|lo mismo)\b|\b(?:eso|ese|esa|esto|este|esta|así) no(?: es| era| son)?\b",
    ),
    (
        "no-queria",
        r"\bno (?:quería|quiero|pedí|dije|te pedí|te dije|me refería)(?: a)? (?:eso|esto|ese|esa|que|borrar|lo|la|el|un|una)\b",
    ),
    (
        "esta-mal",
        r"\b(?:está|están|estaba|estuvo|salió|quedó|quedaron|sale|va) (?:(?:todo|muy|completamente|totalmente|otra vez|todavía) )?mal\b|^mal\b|\bes un error\b",
    ),
    (
        "incorrecto",
        r"\b(?:es|está|están|son|estaba|sigue siendo) (?:\w+ )?(?:incorrect[oa]s?|erróne[oa]s?|equivocad[oa]s?|fals[oa])\b|^(?:incorrecto|equivocado|erróneo|falso)\b",
    ),
    (
        "te-equivocaste",
        r"\bte (?:lo |la |los |las )?(?:has |estás )?(?:equivocaste|equivocado|equivocas|equivocando|confundiste|confundido|saltaste|saltado|olvidaste|olvidado|faltó|falta|dejaste|comiste)\b",
    ),
    (
        "se-te-olvido",
        r"\bse te (?:olvidó|olvidaron|ha olvidado|pasó|escapó)\b|\b(?:has )?(?:olvidaste|olvidado) (?:el|la|los|las|de|que|poner|añadir|un|una)\b",
    ),
    (
        "lo-equivocado",
        r"\b(?:usaste|has usado|borraste|has borrado|cambiaste|has cambiado|pusiste|has puesto|hiciste|has hecho|elegiste|enviaste|moviste|editaste) .{0,40}?(?:equivocad[oa]s?|mal|incorrect[oa]s?|que no era|otra vez|al revés)\b",
    ),
    (
        "has-borrado",
        r"^(?:me )?(?:has (?:borrado|eliminado|roto|sobrescrito|perdido|renombrado|quitado)|(?:borraste|eliminaste|rompiste|sobrescribiste|perdiste|renombraste|quitaste)) (?:mi|mis|el|la|los|las|todo|toda)\b",
    ),
    (
        "no-hiciste",
        r"\bno (?:has|hiciste|pusiste|añadiste|cambiaste|guardaste|leíste|borraste|arreglaste|corregiste|me hiciste caso|entendiste|respondiste|usaste|terminaste|incluiste) ?",
    ),
    (
        "te-dije",
        r"\b(?:te|le|ya) (?:te )?(?:lo )?(?:dije|pedí|había dicho|había pedido|he dicho|he pedido)\b|\b(?:yo )?(?:dije|pedí) (?:que|el|la|los|las|un|una|en)\b|\bme refería al?\b|^(?:yo )?(?:dije|pedí)\b|\blo que (?:pedí|quería|dije) (?:era|es)\b",
    ),
    (
        "no-me-has",
        r"\bno (?:me|lo|la|nos) (?:has |estás )?(?:entendido|entendiste|entiendes|escuchas|escuchando|escuchado|hiciste caso|haces caso|hecho caso|leíste|leído|comprendes|comprendiste)\b",
    ),
    (
        "sigues",
        r"\bsigues (?:\w+ndo|sin)\b|\b(?:el )?mismo (?:error|fallo)\b|\bsiempre (?:haces|cometes|olvidas)\b",
    ),
    (
        "sin-sentido",
        r"\bno tiene (?:ningún )?sentido\b|\bsolo (?:has hecho|hiciste) la mitad\b|\b(?:es|era) (?:la|el|una?) (?:\w+ )?(?:equivocad[oa]|incorrect[oa]|antigu[oa]|viej[oa]|anterior)\b",
    ),
    ("queria-no", r"\b(?:quería|necesitaba|pedí) [^.;]{1,60}?, no\b|^(?:quiero|necesito) [^.,;]{1,40}, no\b"),
    (
        "sigue-mal",
        r"\b(?:sigue|siguen|continúa) (?:sin (?:funcionar|ir|aparecer|estar)|fallando|mal|igual|dando|saliendo|roto|rota|el mismo)\b|\btodavía (?:no funciona|falla|está mal|sale)\b|\baún (?:no funciona|falla|está mal|sale)\b",
    ),
    (
        "no-funciona",
        r"^(?:eso |esto |así |todavía |aún )?(?:sigue )?no (?:funciona|funcionó|va|sirve|compila|arranca|me sirve)\b|\b(?:eso|esto|el cambio|tu \w+) no (?:funciona|funcionó|va|sirve|compila)\b",
    ),
    (
        "otra-vez",
        r"^(?:inténtalo|intenta|prueba|hazlo|vuelve a (?:intentarlo|hacerlo|probar)|repítelo|empieza)(?: lo)? ?(?:de nuevo|otra vez|bien|desde cero)?[.!]*$|\b(?:el )?mismo (?:error|problema|fallo) (?:otra vez|de nuevo|que antes)\b",
    ),
    (
        "deshaz",
        r"^(?:deshaz|deshazlo|revierte|reviértelo|deshacer|vuelve atrás|déjalo como estaba|devuélvelo)\b|\bcomo estaba(?: antes)?\b",
    ),
    ("deja-de", r"^(?:deja de|no vuelvas a|no hagas eso|para de)\b"),
    (
        "debia-ser",
        r"\b(?:debe|debía|debería|tenía que|tiene que) (?:ser|haber sido|decir|estar) .{1,60}?(?:, no\b|\ben (?:vez|lugar) de\b|\by no\b)",
    ),
];

const NOT_CORRECTIONS: &[&str] = &[
    r"\bno\W+(?:muchas )?(?:gracias|problema|pasa nada|hace falta|te preocupes|se preocupe|importa|hay (?:problema|prisa|de qué|nada|más)|es necesario|es nada|tengo (?:más|prisa|dudas|preguntas)|necesito (?:nada|más)|nada más|tranquil[oa]|por ahora|todavía|aún|sé|lo sé|creo|eso es todo|con eso (?:basta|está|es)|está (?:bien|perfecto|todo|genial)|así está (?:bien|perfecto)|todo (?:bien|correcto|perfecto)|perfecto|ya está|es eso todo|es todo)\b",
    r"\b(?:eso|esto|así) (?:no )?(?:es todo|está bien|está perfecto|me vale|no (?:es|era) (?:necesario|un problema|importante|urgente|malo|culpa|problema))\b|\beso no (?:importa|hace falta|corre prisa|me preocupa|lo sabía|pasa)\b",
    r"\bno (?:es|era|está|están|estaba|estuvo|va|salió|quedó) (?:nada )?(?:mal|malo|mala|un problema|problema|urgente|importante|necesario|grave|incorrecto|falso|tu culpa|la primera vez|el único|lo único|el fin|el momento)\b",
    r"\b(?:algo|nada|qué) (?:está|va|anda|hay|es|salió) mal\b|\bno has (?:hecho nada malo|fallado|olvidado|cometido)\b|\bno (?:hiciste|has hecho) nada mal\b",
    r"\bno (?:quiero|quería) (?:molestar|que te|que (?:gastes|pierdas|tardes|tengas prisa)|nada|más|prisa|interrumpir)\b|\bno has (?:de|que)\b",
    r"\b(?:me|le|les|él|ella) (?:dijo|dijeron) que\b|\bte (?:dije|pedí) que (?:gracias|sí)\b",
    r"\bmenos mal\b|\bno te (?:falta|faltó) nada\b|\bte falta (?:poco|mucho|algo)\b",
];
