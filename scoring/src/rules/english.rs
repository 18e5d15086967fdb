//! The English words.

use super::{Language, answers, patterns, phrases};

pub(super) fn language() -> Language {
    let mut corrections = answers(&[
        ("no-alone", r"^(?:no|nope|nah)(?:[,. ]+(?:no|nope))*\s*[.!…]*$"),
        ("no-then", r"^(?:no|nope|nah)(?:[,\s]+(?:no|nope|nah))*\s*(?:[,.!:;…–—-]+\s*)+[\p{L}\p{N}]+"),
        (
            "no-pronoun",
            r"^(?:no|nope|nah) (?:that|that's|thats|it|it's|this|those|these|i|i'm|you|we|use|not|don't|do|put|the other|wrong|wait|stop|make|change|keep|leave|go back|try|just|only|still|undo|revert)\b",
        ),
    ]);
    corrections.extend(phrases(CORRECTIONS));
    Language {
        corrections,
        not_corrections: patterns(NOT_CORRECTIONS),
        own_fault: patterns(&[
            r"\bmy (?:own )?(?:mistake|fault|bad|error)\b",
            r"\b(?:oops|whoops|sorry),? (?:i|that was me)\b",
            r"\bi (?:was (?:wrong|mistaken|unclear)|made (?:a|the) (?:mistake|typo)|misspoke|mistyped|misremembered|forgot|confused)\b",
            r"\bi (?:gave|told|sent|pasted|wrote|typed|named) (?:you )?(?:the )?(?:wrong|incorrect)\b",
            r"\bi should have (?:said|told|mentioned|specified|been)\b",
            r"\bi (?:got|had|have|might have|may have|must have) (?:it|that|this|them|the \w+(?: \w+)?)?(?: gotten)? ?(?:wrong|mixed up|confused|backwards)\b",
            r"\b(?:apologies|sorry|apologi[sz]e) for (?:the|my|any|this) (?:mix.?up|confusion|mistake|error|typo|misunderstanding)\b",
            r"\bmistake on my (?:part|side|end)\b",
        ]),
        lead_ins: patterns(&[
            r"^(?:(?:hm+|ok(?:ay)?|well|but|sorry|hey|ugh|uh|um+|wait|and|oh|argh|please|just|hold on|thanks|thank you|actually|again|sure|yes|yeah|hi|hello|great|nice|good|cool)\b[\s,.!…–—-]*)+",
        ]),
        questions: patterns(&[
            r"^(?:what|what's|why|who|whose|when|where|which|how|is|are|was|were|do|does|did|don't|doesn't|didn't|can|could|would|will|won't|should|shouldn't|shall|may|might|has|have|had|haven't|hasn't|isn't|aren't|wasn't|any|anything|if)\b",
        ]),
        requests: patterns(&[
            r"\b(?:please (?:confirm|provide|let me know|tell me|specify|choose|share)|let me know (?:if|whether|which|what|how)|yes/no|\(yes|would you like|could you|do you want)\b",
        ]),
        conditions: patterns(&[
            r"\b(?:if|when|whenever|unless|until|in case|whether|suppose|imagine|would|could|might|otherwise|once|should (?:it|that|this|you|anything))\b",
        ]),
        negators: patterns(&[r"\b(?:not|never|\w+n't|cannot|unable|until|unless)\b"]),
        completion: phrases(COMPLETION),
        not_completion: patterns(&[
            r"\b(?:ready|done|finished|complete|completed) (?:list|state|by|when|once|if|before|until|for you to|percent)\b",
            r"\bcomplete (?:list|set|guide|overview|example|code|picture|answer|history|the|a|this|your|it)\b",
            r"\b(?:well|easier said than) done\b",
            r"\b(?:nothing|none|neither|no \w+)(?: \w+){0,3} (?:was|were|has been|have been|is|are|got) (?:\w+ )?\w+",
            r"\b(?:almost|nearly|half|partly|partially|not quite|mostly|about) (?:all )?(?:done|finished|complete|completed|ready|fixed|working|there)\b",
            r"\bwork(?:s|ing)? as (?:designed|described)\b",
            r"^(?:nothing|none|nobody|neither|no [\w'-]+)(?: [\w'-]+)? \w+\s*[.!…]*$",
        ]),
        not_yet: patterns(&[
            r"\b(?:will|would|can|could|should|shall|may|might|must|to be|to get|let me|going to|needs?|wants?|once|when|whenever|if|after|before|until|unless|as soon as|i'll|we'll|it'll|you'll|get|getting|have to|plan|planned|expect|expected)\b",
        ]),
        partial: phrases(&[
            (
                "partial",
                r"\b(?:partial|partially|incomplete|partly|half[- ]done|almost (?:done|finished|complete|ready)|nearly (?:done|finished|complete|ready))\b",
            ),
            (
                "still-to-do",
                r"\b(?:still (?:needs? to|have to|has to|to do|to be done|outstanding|left to)|remains? to be|yet to be|(?:is|are) (?:still )?missing|left to do|not everything|the rest (?:is|will|needs)|to-?do:)",
            ),
            (
                "could-not-finish",
                r"\b(?:couldn't|could not|did not|didn't|can't|(?:i |we )?(?:wasn't|was not|weren't|were not) able to) (?:finish|complete|get to)\b",
            ),
            (
                "done-except",
                r"\b(?:done|complete|completed|finished|ready|works?|working|fixed|pass|passes|passed|passing|green),? (?:except|apart from|but (?:not|for)|with the exception of)\b",
            ),
        ]),
        failure: phrases(&[
            ("failed", r"\b(?:fail|fails|failed|failing|failure|failures)\b"),
            ("does-not-work", r"\b(?:doesn't|does not|didn't|did not|isn't|is not|not) work(?:ing)?\b"),
            ("still-broken", r"\b(?:still|is|are|remains?) (?:broken|crashing|stuck)\b"),
            (
                "gave-up",
                r"\b(?:giving|gave|give) up\b|\bi(?:'ll| will|'m|'ve| have)? stop(?:ping|ped)?(?: here| now| trying)?\s*(?:[.!]|$)",
            ),
            (
                "ran-into",
                r"\b(?:ran|run|running) into (?:an? |some |the )?(?:\w+ )?(?:error|errors|issue|issues|problem|problems|limit|timeout)\b",
            ),
            ("timed-out", r"\btimed out\b"),
            ("denied", r"\b(?:permission|access|request) (?:was |is )?(?:denied|refused|blocked)\b"),
            (
                "was-blocked",
                r"\b(?:was|were|got|is|am|are) (?:blocked|denied|refused|rejected|interrupted|aborted)\b",
            ),
            (
                "error-occurred",
                r"\b(?:an?|the following) (?:\w+ )?error(?: has)?(?: occurred| happened|:)|\b(?:returned|threw|raised|got|hit) (?:an?|the) (?:\w+ ){0,2}(?:error|exception)\b|^error\b",
            ),
            ("not-possible", r"\b(?:not possible|impossible|no way to)\b"),
            ("not-found", r"\b(?:could not|couldn't|cannot|can't) find\b"),
            (
                "did-not-succeed",
                r"\b(?:did not|didn't|does not|doesn't) (?:succeed|go through|take effect)\b|\b(?:i wasn't|i was not|we weren't|we were not) able to\b",
            ),
            (
                "no-access",
                r"\b(?:i|we) (?:don't|do not|didn't|did not) have (?:[\w']+ ){0,2}?(?:access|permissions?)\b",
            ),
        ]),
        inability: phrases(&[
            ("unable", r"\b(?:unable|not able)\b"),
            ("cannot", r"\b(?:cannot|can't|can not)\b"),
            ("could-not", r"\b(?:could not|couldn't)\b"),
            ("unfortunately", r"\bunfortunately\b"),
            ("failed-to", r"\bfailed to\b"),
        ]),
        not_failure: patterns(&[
            r"\b(?:you|they|users?|people|anyone|nobody|it|one) (?:cannot|can't|can not|could not|couldn't)\b",
            r"\bno longer\b",
            r"\b(?:can't|cannot) wait\b",
            r"\bcan't (?:go wrong|thank|stress|recommend)\b",
            r"\b(?:failures?|errors?) (?:are|is|get|will be|can be) (?:now |then |also )?(?:retried|handled|caught|logged|reported|ignored|shown|counted|skipped)\b",
            r"\bnothing (?:has |had )?failed\b|\bnone (?:of (?:\w+ ){1,3})?(?:has |have |had )?failed\b",
            r"\b(?:no|zero|0|without|any|never|avoids?|prevents?|fix(?:es|ed)?|fixing|resolved?|solved|handles?|the (?:previously|formerly)|previously|formerly|possible|if|when|on|of|in case of) (?:\w+ ){0,2}(?:fail|fails|failed|failing|failure|failures|error|errors|exception|exceptions)\b",
            r"\b(?:failed|failing) (?:and then|at first|once|before|initially|attempt|attempts|state|list|login|logins|jobs?|test case)\b",
            r"\b(?:failure|error|failed) (?:handling|handler|case|cases|mode|modes|message|messages|code|codes|path|rate|log|logs|page|type|types|report|recovery|state|tests? (?:now )?pass)\b",
            r"\b0 (?:failed|failures|errors)\b|\b(?:failed|failures|errors|failing)(?: tests?)?: ?(?:0|none)\b",
            r"\bfail(?:ed|s|ing)? (?:fast|safe|gracefully|over)\b",
            r"\b(?:expected|supposed|meant) to fail\b",
            r"\b(?:cannot|can't) (?:be (?:undone|reversed|changed later))\b",
        ]),
        // The measured phrases and no wider ones: "let me try again" and "another way" are as common in runs that succeed.
        retries: phrases(&[
            ("different-approach", r"\b(?:different|another|alternative) approach\b"),
            ("still-fails", r"\bstill (?:fails?|failing|doesn't work|does not work)\b"),
            ("does-not-work", r"\b(?:doesn't|does not) work\b"),
            ("same-error", r"\bsame error\b"),
            ("oops", r"\b(?:oops|whoops)\b"),
            ("let-me-fix", r"\blet me (?:fix|correct)\b"),
        ]),
        hedges: phrases(&[
            (
                "should-now",
                r"\bshould (?:now )?(?:work|be (?:fixed|working|fine|ok|resolved|able))\b|\bshould now\b",
            ),
            ("probably", r"\b(?:probably|likely|presumably|perhaps|maybe)\b"),
            ("seems", r"\b(?:seems?|appears?) (?:to|like|that)\b|\bit seems\b"),
            ("i-think", r"\bi (?:think|believe|guess|suspect|assume)\b"),
            ("assuming", r"\bassuming\b"),
        ]),
        apologies: phrases(&[
            ("sorry", r"\b(?:sorry|my apologies)\b"),
            ("apologise", r"\bapologi[sz](?:e|es|ing)\b|\bapolog(?:y|ies)\b"),
        ]),
        intentions: phrases(&[(
            "i-will",
            r"^(?:(?:now|next|then|first)[, ]+)?(?:i will|i'll|let me|i am going to|i'm going to)\b(?: now)?",
        )]),
        goodbyes: patterns(&[
            r"\byou're (?:very |most |so )?welcome\b|\byou are (?:very |most )?welcome\b|^welcome\b",
            r"\banything else\b",
            r"\b(?:goodbye|good bye|bye|have a (?:great|good|nice|wonderful|lovely) (?:day|one|evening|weekend|night|time|trip|flight)|take care|see you|good night|good luck|enjoy your)\b",
            r"\b(?:glad|happy) (?:i could|to) help\b|\b(?:no problem|my pleasure|any ?time)\b|\blet me know if\b",
        ]),
        closings: patterns(&[
            r"\b(?:thank you|thanks|thx|that's (?:all|it|everything)|that is (?:all|it|everything)|that(?:'ll| will) be all|goodbye|bye|good night|have a (?:great|good|nice)|(?:all|everything) i needed|nothing else)\b",
        ]),
        not_goodbyes: patterns(&[
            r"\b(?:unable|not able|sorry|apologi[sz]e|transfer(?:red|ring)?|unfortunately)\b",
        ]),
        error_beginnings: patterns(ERROR_BEGINNINGS),
    }
}

const CORRECTIONS: &[(&str, &str)] = &[
    (
        "that-is-not",
        r"(?:^|[,;:–—] ?|\b(?:but|and|no|because|think|sorry|sure|afraid) )(?:that|this|those|these)(?:(?:'s| is| was| are| were|s) (?:still |really |definitely |clearly )?not| isn't| wasn't| aren't| weren't)\b",
    ),
    (
        "it-is-not",
        r"^(?:and |but )?it(?:(?:'s| is| was) (?:still )?not| isn't| wasn't) (?:right|correct|the (?:right|one|same)|working|fixed|done|finished|there)\b",
    ),
    (
        "that-is-wrong",
        r"\b(?:that|this|it|these|those|which|all of (?:that|this|it)|everything)(?:'s|s| is| was| are| were| looks?| seems?) (?:(?:still|also|just|completely|totally|all|simply|plain|obviously|clearly|even|now|again|quite|very) )*(?:wrong|incorrect|broken|inaccurate|mistaken|false|backwards|a mistake|an error|nonsense)\b",
    ),
    (
        "that-is-the-wrong",
        r"\b(?:that|this|it|these|those|they)(?:'s|'re|s| is| are| was| were) (?:(?:still|again|just|clearly|also) )*(?:the|an?|my|your) (?:wrong|old|other|previous|outdated|incorrect|different)\b",
    ),
    ("makes-no-sense", r"\b(?:makes|made) no sense\b|\b(?:doesn't|does not) make (?:any )?sense\b"),
    (
        "you-keep",
        r"\byou (?:keep|kept|always|only|constantly|repeatedly) (?:on )?(?:\w+ing|did|do|make|made|answered|gave|changed|wrote|added|fixed|forget|miss|ignore)\b",
    ),
    (
        "you-got-wrong",
        r"\byou(?:'ve| have)? (?:got|have|had|mixed|swapped|put) [^.!?]{1,50}?(?:mixed up|wrong|backwards|confused|the wrong way|upside down)\b",
    ),
    (
        "was-supposed",
        r"^(?:it|this|that|they|these|those) (?:was|were) supposed to\b|^there should(?:n't| not) be\b|^there should be no\b",
    ),
    ("wrong-first", r"^(?:wrong|incorrect|not quite|not right|not correct|that broke|bad)\b"),
    (
        "not-this",
        r"^not (?:the|that|this|those|these|in|on|for|like|what|as|from|with|to|a|an|my|all|only|just)\b",
    ),
    (
        "not-what-i",
        r"\b(?:not|isn't|wasn't) (?:at all )?(?:what|how|where|when|which|the \w+(?: \w+)?(?: that)?) i(?:'d| had|'ve| have)? (?:asked|ask|meant|mean|wanted|want|said|requested|told|specified|was asking)\b",
    ),
    (
        "you-missed",
        r"\byou(?:'ve| have|'d)? (?:(?:just|again|also|still|completely|totally|already|clearly|even|only|accidentally) )*(?:forgot|forgotten|missed|skipped|ignored|overlooked|misunderstood|misread|misspelled|mistook|left out|broke|broken|messed up|screwed up|mixed up|hallucinated|invented|made (?:that|it|this|them) up|made (?:a|an|another|the same) (?:\w+ )?(?:mistake|error|typo))\b",
    ),
    (
        "you-are-missing",
        r"\byou(?:'re| are) (?:still )?(?:missing|wrong|mistaken|confusing|misunderstanding|ignoring|not (?:listening|reading|following|doing|getting))\b",
    ),
    (
        "you-wrong",
        r"(?:^|[,;:–—] ?|\b(?:but|and|so|because|since|that|think|then|now|also|maybe|again) )you(?:'ve| have)? (?:[\w'-]+ ){1,6}?(?:wrong|incorrectly|twice|by mistake|backwards)\b",
    ),
    (
        "you-instead",
        r"\byou(?:'ve| have)? (?:used|picked|chose|chosen|took|wrote|put|made|sent|changed|deleted|removed|added|moved|edited|gave|did|called|booked|opened) (?:[\w'-]+ ){1,6}?(?:instead|not the|but i)\b",
    ),
    (
        "you-did-not",
        r"\byou (?:didn't|did not|haven't|have not|never|failed to|weren't|were not) (?:(?:even|actually|yet|really|do|ever|to) )*\w+",
    ),
    (
        "you-should-have",
        r"(?:^|[,;:–—] ?|\b(?:but|and|so|because|since|think) )you (?:should(?:n't)? (?:not )?have|were(?:n't)? (?:not )?supposed to|are(?:n't)? supposed to)\b",
    ),
    (
        "i-said",
        r"(?:^|[,;:–—] ?|\b(?:but|and|because|since|no|think|sure|know|afraid) )i(?:'ve| have)? (?:(?:already|just|clearly|explicitly|specifically|only|literally|never|didn't|did not) )*(?:said|say|told you|tell you|asked (?:you|for)|ask (?:you|for)|meant)\b|\bi(?:'ve| have)? (?:(?:already|just|clearly|explicitly|specifically|only|literally|never|didn't|did not) )+(?:said|told you|specified|requested|mentioned|asked (?:you|for)|ask (?:you|for)|meant|mention(?:ed)?)\b|\b(?:opposite|contrary|different|not|other|less|more) (?:\w+ )?(?:of|to|from|than|like) what i\b",
    ),
    (
        "i-wanted-not",
        r"\bi (?:wanted|asked for) [^.;]{1,60}?(?:, ?(?:and |but )?not\b|\binstead of\b|\brather than\b|\bnot\b)|^i (?:want|need|needed) [^.,;]{1,40}, not\b",
    ),
    (
        "i-did-not-want",
        r"\bi (?:didn't|did not) (?:want|need) (?:you|that|this|it|those|these|all)\b|^i (?:don't|do not) want (?:you to|that|this|it)\b",
    ),
    (
        "still-wrong",
        r"\bstill (?:broken|failing|fails?|wrong|incorrect|missing|crashes|crashing|(?:not|isn't) (?:working|fixed|right|done|correct|there|what|showing|updated)|doesn't|does not|don't|do not|(?:the )?(?:same|an?) (?:error|problem|issue|mistake|bug)|(?:getting|get|see|seeing|have|has|shows?|says?|throws?) (?:the |an? |that |this )?(?:\w+ )?(?:same|error|wrong|old|problem|issue))\b",
    ),
    (
        "does-not-work",
        r"^(?:that|this|it|which) (?:still )?(?:doesn't|does not|didn't|did not|won't) (?:work|compile|run|help|build|start|load|match|make sense|do (?:it|anything)|fix|look right)\b|\b(?:your \w+|the (?:fix|change|script|code|patch|solution|command|link|button)) (?:still )?(?:doesn't|does not|didn't|did not|won't) (?:work|compile|run|help|build|start|load|match)\b|\bthat (?:doesn't|didn't) look right\b|^(?:still )?(?:doesn't|does not|didn't|did not) work\b|^not working\b",
    ),
    (
        "same-again",
        r"^(?:the )?same (?:error|problem|issue|mistake|thing|bug)\b|\b(?:the )?same (?:error|problem|issue|mistake) (?:again|as before|still)\b",
    ),
    (
        "undo-that",
        r"^(?:(?:now|just|can you|could you) )*(?:undo|revert|roll back|rollback|take back) (?:that|this|it|your|those|these|them|the last|the change|what you)\b|^(?:(?:now|just) )*(?:undo|revert)[.!]*$|, ?(?:(?:and|now|so|please|just) )*(?:undo|revert|roll back) (?:that|this|it|those|them|the last|the change|what you)\b",
    ),
    (
        "put-back",
        r"^(?:(?:now|just) )*(?:put|turn|set|move) (?:it|that|this|them|everything) back\b|^(?:(?:now|just) )*change (?:it|that|this|them) back[.!]*$",
    ),
    (
        "again",
        r"^(?:(?:now|just) )*(?:try (?:it |that |this )?(?:once )?(?:again|harder)|redo (?:it|that|this)|redo|do (?:it|that|this) (?:again|over|properly|right)|start over|(?:look|read|think|check) (?:it )?again|read (?:it|that|this|my [\w ]+?|the [\w ]+?) (?:again|more carefully|carefully))(?:[\s,.!…]*$|[,.!…]| and\b| but\b| with\b| please\b)",
    ),
    (
        "stop-doing",
        r"^(?:(?:now|just) )*(?:stop|quit) (?:adding|doing|changing|deleting|removing|rewriting|using|making|asking|guessing|ignoring|repeating|inventing|saying|hallucinating|apologi[sz]ing|that|it|this)\b|^(?:don't|do not) (?:do|change|delete|touch|use|add|remove|guess|say|make) (?:that|this|it|them|things|stuff)\b",
    ),
    (
        "should-have-been",
        r"\b(?:should|ought to) (?:not |n't )?have (?:been|said|read|used|gone|had|pointed|contained|started|ended|gotten|stayed|kept)\b|\bshouldn't have been\b|\b(?:should|supposed to) (?:be|say|read|use|go|point|start|end) [^,.;]{1,30}, (?:and )?not\b",
    ),
    (
        "the-x-is-wrong",
        r"\b(?:the|your) (?:[\w'-]+ ){1,4}?(?:is|are|was|were|looks?) (?:(?:still|now|also|all|completely|totally) )*(?:wrong|incorrect|not (?:right|correct)|off by)\b",
    ),
    (
        "undid-work",
        r"\bnow (?:it|that|everything|nothing|the [\w ]+?) (?:is|are|doesn't|does not|no longer|won't|works? ?worse) ?(?:broken|worse|works?|gone|fails?)\b|\b(?:made|making) (?:it|things) worse\b|^you (?:removed|deleted|overwrote|renamed|lost|cut|moved) (?:it|the|that|my|all|everything|some)\b|^(?:it|that|this|the \w+) still (?:says?|shows?|has|contains?|uses?|points?|goes|looks?|reads?)\b|\byou mean(?:t)? .{1,40}?, not\b",
    ),
];

const NOT_CORRECTIONS: &[&str] = &[
    r"\b(?:no|nope|nah)\W+(?:thanks?|thank you|thx|ty|cheers|problem|problems|prob|worries|need|rush|hurry|pressure|doubt|idea|clue|wonder|way|big deal|biggie|hard feelings|offen[cs]e|matter|one|sweat|harm|kidding|more|further|other|changes?|issues?|complaints|objections?|questions?|comments?|news|longer|later|sooner|less|luck)\b",
    r"\b(?:no|nope|nah)\W+(?:(?:i think|i guess|i believe|really|please) )?(?:that's|thats|that is|that was|that will be|that'll be|that would be|it's|it is|this is|everything(?:'s| is)?|all(?:'s| is)?|we're|we are|i'm|i am|you're|you are|you can)\W+(?:(?:now|just|really|all|already|totally|perfectly) )*(?:all|it|everything|fine|ok|okay|good|great|perfect|right|correct|enough|set|done|lovely|cool|alright|clear|happy|sure|welcome|not (?:necessary|needed|required)|stop|leave|close)\b",
    r"\b(?:no|nope|nah)\W+(?:nothing|not (?:yet|now|really|right now|at the moment|today|necessary|needed|at all|for now|that i)|never ?mind|go ahead|please (?:go ahead|proceed|continue)|of course|bye|see you|just (?:checking|curious|wondering|asking|making sure|want(?:ed)? to)|i was just|i only wanted to know|it (?:works|worked|looks|does)|i (?:don't|do not|didn't|did not) (?:think|believe|want (?:any|to)|see|have any|have (?:a|more|other|further)|know|need (?:anything|any|more|it|that))|i (?:haven't|have not|am not|can't|cannot|won't)|we (?:don't|do not)|take your time|don't (?:worry|bother)|all good|that (?:works|does it|helps)|looks good|you did (?:great|well|fine))\b",
    r"\b(?:that|this|those|these|it)(?:'s| is| was|s)? (?:not|isn't|wasn't) (?:(?:really|even|so|too|that|exactly|all that|at all|a) )*(?:all\b|a problem|problem|an issue|issue|big deal|bad|necessary|needed|urgent|important|required|your fault|surprising|unusual|rushed|hard|difficult|a question|a complaint|a criticism|the end|the point|over|for now|for today|possible|available|in (?:the|my|any) (?:manual|docs|documentation|book)|mine|my|something (?:i|we)|about|relevant|related)\b",
    r"\bnot (?:right now|right away|right this|the (?:worst|end|only|same day|point)|that (?:bad|important|urgent|hard|much|i (?:know|recall|remember))|this (?:week|time|year|month|morning|evening|afternoon)|in (?:a hurry|a rush|the mood)|for (?:now|today|me|long)|on my (?:account|part)|a (?:problem|big deal|bad|chance|clue|fan|hurry)|all of (?:us|them)|only that|just (?:yet|now)|to (?:worry|mention|be)|what i (?:would call|expected,? but (?:better|good|nice)))\b",
    r"\b(?:nothing|anything|something|what(?:'s| is| was| went| could go| can go)?|goes?|went|go|going|don't get me|isn't anything|nothing's|wasn't anything) (?:is |was |be )?(?:wrong|incorrect)\b",
    r"\byou (?:didn't|did not|don't|do not|never) (?:(?:even|really|actually) )*(?:have to|need to|have|need|do anything wrong|miss|break|forget|disappoint|mind|get (?:wrong|enough)|know|seem|want|happen|by any chance)\b|\byou (?:haven't|have not|never) (?:missed|forgotten|broken|disappointed|let)\b",
    r"\byou (?:missed|forgot|broke|skipped|overlooked) (?:nothing|a (?:great|good|nice|fun)|a record|the (?:party|meeting|game|show|concert))\b",
    r"\b(?:as|like|because) i (?:mentioned|said) (?:it|you|we|that's fine)\b|\bi (?:mentioned|mention)\b(?: \w+)? (?:to (?:him|her|them|my))|\byou (?:always|only) (?:do|did|gave|make|made) (?:a |such )?(?:great|good|nice|well|wonderful|what i)\b|\byou keep (?:surprising|amazing|impressing|getting better)\b|\bi (?:said|say) (?:yes|yeah|hi|hello|hey|goodbye|thanks|thank you|sorry|it (?:before|already) and|to (?:him|her|them|myself|my))\b|\bi asked for (?:help|advice|a (?:raise|refund|quote|meeting)|some time)\b|\b(?:can|could|may|should|shall) i (?:say|ask|request|tell)\b|\bi(?:'d| would| will|'ll| must| have to| want to| need to| should| can| could| might) (?:\w+ )?(?:say|ask|tell|request)\b|\bi (?:didn't|did not) mean (?:to|any)\b|\bi (?:don't|do not) (?:mean|say)\b",
    r"\b(?:don't|do not) (?:change|touch|do|worry about|say|add|remove|use|delete|make) (?:a thing|anything else)\b",
    r"\bi (?:want|wanted|need|needed) .{0,60}\b(?:or not|whether|not only|not just)\b",
    r"\bi (?:don't|do not) (?:want|need) (?:you to (?:worry|rush)|that (?:right )?(?:now|today|yet)|it (?:right )?(?:now|today|yet)|this (?:right )?(?:now|today|yet)|(?:it|that|this|these|those|you|all)(?: \w+)? any ?more)\b",
    r"\btry again (?:later|tomorrow|in|after|next|on)\b|\b(?:check|look|read|think) again (?:later|tomorrow|in|after|next|on|at)\b",
    r"\bstill (?:don't|do not) (?:know|understand|have|see why|get why|need)\b|\bstill (?:not sure|undecided|deciding|thinking|waiting|interested)\b",
    r"\b(?:i|we|he|she|they) still (?:have|has|see|get|getting)\b(?: \w+){0,2} (?:time|questions?|work|plans?|issues? to|problems? to)\b",
    r"\bit(?:'s| is) not (?:what|that|there) (?:i'm|i am|it used)\b",
    r"\byou (?:never|don't|do not) (?:know|need|fail|cease|stop)\b|\byou (?:can't|cannot|won't|couldn't) go wrong\b|\b(?:if|in case|whatever|what|everything|anything) you(?:'ve| have)? (?:missed|forgot|forgotten|skipped)\b",
];

const COMPLETION: &[(&str, &str)] = &[
    ("done", r"\b(?:all |is |are |it's |now |that's |everything's )?done\b"),
    ("finished", r"\bfinished\b"),
    (
        "completed",
        r"\bcompleted\b|\b(?:is|are|now|all|task|work|setup|migration|implementation|refactor|build|everything) (?:now )?complete\b|^complete[.!]?$",
    ),
    ("ready", r"\b(?:is|are|now|all|it's|everything's|you're) (?:now |all )?ready\b|^ready[.!]?$"),
    ("all-set", r"\ball set\b"),
    (
        "works-now",
        r"\b(?:works?|working) (?:now|again|fine|as expected|correctly|perfectly)\b|\bnow (?:works?|working)\b|\bup and running\b",
    ),
    (
        "tests-pass",
        r"\b(?:tests?|checks?|suite|build) (?:all |now |are |is )*(?:pass|passes|passed|passing|succeeds?|succeeded|green)\b|\ball (?:\d+ )?(?:tests? )?(?:pass|passed|passing|green)\b",
    ),
    ("success", r"\bsuccessful(?:ly)?\b|\bsucceeded\b"),
    (
        "i-did",
        r"\b(?:i|i've|i have|we've|we have) (?:(?:now|also|just|already|successfully) )*(?:fixed|resolved|implemented|created|added|updated|removed|deleted|moved|renamed|written|wrote|built|deployed|installed|configured|merged|pushed|committed|sent|saved|set up|refactored|converted|replaced|migrated|published|scheduled|booked|cancelled|canceled|changed|corrected|applied|uploaded|downloaded|generated|watered|processed|modified|exchanged|refunded|rebuilt|cleaned|restarted|restored|reverted|closed|submitted|registered|activated|enabled|disabled|transferred|confirmed|reserved|attached|archived|imported|exported|cleared|sorted|copied|compiled|formatted|translated|extended|upgraded|switched|tidied|rewritten|split|joined|extracted|recorded|adjusted|addressed|completed)\b",
    ),
    (
        "has-been",
        r"\b(?:(?:has|have) (?:now |also |successfully |all )*been|was|were) (?:\w+ )?(?:fixed|resolved|implemented|created|added|updated|removed|deleted|moved|renamed|written|built|deployed|installed|configured|merged|pushed|committed|sent|saved|refactored|converted|replaced|migrated|published|scheduled|booked|cancelled|canceled|changed|corrected|applied|uploaded|generated|processed|modified|exchanged|refunded|returned|rebuilt|cleaned|restarted|restored|reverted|closed|submitted|registered|activated|enabled|disabled|transferred|confirmed|reserved|attached|archived|imported|exported|cleared|sorted|copied|compiled|formatted|translated|extended|upgraded|switched|tidied|rewritten|split|joined|extracted|recorded|adjusted|addressed|completed)\b",
    ),
    (
        "is-fixed",
        r"\b(?:is|are|it's) (?:now |all )*(?:fixed|resolved|solved|implemented|deployed|installed|merged|published|scheduled|booked|confirmed|cancelled|canceled|saved|live|in place|up to date|green)\b",
    ),
    (
        "headline",
        r"^(?:the |your |an? )?(?:[\w'-]+ ){1,2}(?:sent|created|saved|booked|updated|deleted|removed|added|scheduled|deployed|installed|uploaded|cancelled|canceled|committed|merged|published|restarted)\s*[.!…]*$",
    ),
    (
        "first-word",
        r"^(?:fixed|resolved|implemented|created|added|updated|removed|deleted|moved|renamed|written|wrote|built|deployed|installed|configured|merged|pushed|committed|sent|saved|solved|refactored|converted|replaced|migrated|published|scheduled|booked|changed|corrected|applied|uploaded|downloaded|generated|cleaned up|cleaned|rebuilt|restarted|restored|reverted|closed|submitted|enabled|disabled|copied|sorted|translated|upgraded|split|extracted)\b",
    ),
];

const ERROR_BEGINNINGS: &[&str] = &[
    r"^[\W_]*(?:an? )?(?:\w+ ){0,2}?(?:error|exception|failure)\b\s*(?:[:(\[!-]|occurred|while|code|when|in\b|$)",
    r"^[\W_]*(?:\w+\.)*\w*(?:error|exception)\b\s*(?:[:(\[]|$)",
    r"^[\W_]*traceback \(most recent call last\)",
    r"^[\W_]*(?:fatal|panic|uncaught|unhandled)\b",
    r"^[\W_]*(?:invalid|permission denied|access denied|command not found|unauthori[sz]ed|forbidden|not found|no such (?:file|tool|command)|unknown (?:tool|command|option|argument)|failed|cannot|could not|unable to|missing required|timed out|timeout|connection (?:refused|reset|timed out)|bad request)\b",
    r"^[\W_]*(?:http(?:/\d(?:\.\d)?)?[ :]*(?:error )?|status(?: code)?:? ?|request failed with status code )[45]\d\d\b",
    r"^[^\n]{0,120}: (?:command not found|permission denied|no such file or directory|not found)\s*$",
    r"^tool [\w.-]+ not found\b|^validation failed\b|^(?:input |\d+ )?validation errors?(?: for\b|:)",
];
