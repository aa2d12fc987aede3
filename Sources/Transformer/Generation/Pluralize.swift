/// English plurals, by the rules Amplify names sync, search and improved list queries with
/// (reference: transformer, "Plural names").
///
/// A name is taken as one word. Whole-word tables are looked up in lower case; endings are tried from the most special
/// to the bare `s`, and what they put in takes the case of what they take out.
package enum Pluralize {
    package static func plural(_ word: String) -> String {
        let lower = word.lowercased()
        guard !lower.isEmpty else { return word }
        if irregularPlurals.contains(lower) { return recased(lower, like: word) }
        if let plural = irregulars[lower] { return recased(plural, like: word) }
        if uncountables.contains(lower) { return word }
        let bytes = Array(lower.utf8)
        if uncountableEndings.contains(where: { matchedCount(of: $0, atEndOf: bytes) != nil }) { return word }
        if let plural = wholeWords[lower] { return recased(plural, like: word) }
        for rule in rules {
            if let plural = rule.plural(of: word, bytes: bytes) { return plural }
        }
        return lower.hasSuffix("s") ? word : word + recased("s", like: String(word.suffix(1)))
    }

    /// An ending of a word: a stem that stays, then letters that are exchanged. The longest match counts.
    private struct Rule {
        /// Each stem with each ending, and how many letters the ending has.
        let patterns: [(bytes: [UInt8], endingCount: Int)]
        let replacement: String

        init(_ stems: [String], _ endings: [String] = [""], to replacement: String) {
            patterns = stems.flatMap { stem in
                endings.map { (bytes: Array((stem + $0).utf8), endingCount: $0.utf8.count) }
            }
            self.replacement = replacement
        }

        func plural(of word: String, bytes: [UInt8]) -> String? {
            var best: (count: Int, stemCount: Int)?
            for pattern in patterns {
                guard let count = matchedCount(of: pattern.bytes, atEndOf: bytes) else { continue }
                if count > best?.count ?? -1 { best = (count, count - pattern.endingCount) }
            }
            guard let best else { return nil }
            let matched = String(word.suffix(best.count))
            let exchanged = String(matched.prefix(best.stemCount)) + replacement
            return word.dropLast(best.count) + recased(exchanged, like: matched)
        }
    }

    /// How many letters the pattern takes at the end of a lower-case word: letters, `[abc]` one of, `[^abc]` none of.
    private static func matchedCount(of pattern: [UInt8], atEndOf word: [UInt8]) -> Int? {
        var next = pattern.count - 1
        var count = 0
        while next >= 0 {
            guard count < word.count else { return nil }
            let letter = word[word.count - 1 - count]
            if pattern[next] == UInt8(ascii: "]"), let open = pattern[..<next].lastIndex(of: UInt8(ascii: "[")) {
                let letters = pattern[(open + 1)..<next]
                let isExcluding = letters.first == UInt8(ascii: "^")
                guard letters.contains(letter) != isExcluding else { return nil }
                next = open - 1
            } else {
                guard pattern[next] == letter else { return nil }
                next -= 1
            }
            count += 1
        }
        return count
    }

    /// The text in the case of a model: `People` like `Person`, `S` like `C`.
    private static func recased(_ text: String, like model: String) -> String {
        if model == text { return text }
        if model == model.lowercased() { return text.lowercased() }
        if model == model.uppercased() { return text.uppercased() }
        let first = model.prefix(1)
        if first == first.uppercased() { return text.prefix(1).uppercased() + text.dropFirst().lowercased() }
        return text.lowercased()
    }

    private static let rules: [Rule] = [
        Rule(["m"], ["an", "en"], to: "en"),
        Rule(["eaux"], to: ""),
        Rule(["child"], ["", "ren"], to: "ren"),
        Rule(["pe"], ["rson", "ople"], to: "ople"),
        Rule(["matr", "cod", "mur", "sil", "vert", "ind", "append"], ["ix", "ex"], to: "ices"),
        Rule(["x", "ch", "ss", "sh", "zz"], to: "es"),
        Rule(["[^ch][ieo][ln]"], ["ey"], to: "ies"),
        Rule(["[^aeiouy]", "qu"], ["y"], to: "ies"),
        Rule(["kni", "wi", "li"], ["fe"], to: "ves"),
        Rule(["ar", "l", "ea", "eo", "oa", "hoo"], ["f"], to: "ves"),
        Rule([""], ["sis"], to: "ses"),
        Rule(
            [
                "apheli", "hyperbat", "periheli", "asyndet", "noumen", "phenomen", "criteri", "organ", "prolegomen",
                "hedr", "automat",
            ], ["a", "on"], to: "a"),
        Rule(
            [
                "agend", "addend", "millenni", "dat", "extrem", "bacteri", "desiderat", "strat", "candelabr", "errat",
                "ov", "symposi", "curricul", "automat", "quor",
            ], ["a", "um"], to: "a"),
        Rule(["her", "at", "gr"], ["o"], to: "oes"),
        Rule(["seraph", "cherub"], ["", "im"], to: "im"),
        Rule(["alumn", "alg", "vertebr"], ["a", "ae"], to: "ae"),
        Rule(
            [
                "alumn", "syllab", "vir", "radi", "nucle", "fung", "cact", "stimul", "termin", "bacill", "foc", "uter",
                "loc", "strat",
            ], ["us", "i"], to: "i"),
        Rule(["[^l]ias", "[aeiou]las", "[ejzr]as", "[iu]am"], to: ""),
        Rule(["e[mn]u"], ["", "s"], to: "s"),
        Rule(["alias", "[^aou]us", "t[lm]as", "gas", "ris"], to: "es"),
        Rule(["ax", "test"], ["is"], to: "es"),
    ]

    /// Endings that stay as they are, before any rule.
    private static let uncountableEndings = [
        "pokemon", "[^aeiou]ese", "deer", "fish", "measles", "o[iu]s", "pox", "sheep",
    ].map { Array($0.utf8) }

    /// Rules that hold for a whole word only.
    private static let wholeWords = [
        "mouse": "mice", "mice": "mice", "titmouse": "titmice", "titmice": "titmice", "louse": "lice", "lice": "lice",
        "thou": "you",
    ]

    private static let irregulars = [
        "i": "we", "me": "us", "he": "they", "she": "they", "them": "them", "myself": "ourselves",
        "yourself": "yourselves", "itself": "themselves", "herself": "themselves", "himself": "themselves",
        "themself": "themselves", "is": "are", "was": "were", "has": "have", "this": "these", "that": "those",
        "echo": "echoes", "dingo": "dingoes", "volcano": "volcanoes", "tornado": "tornadoes", "torpedo": "torpedoes",
        "genus": "genera", "viscus": "viscera", "stigma": "stigmata", "stoma": "stomata", "dogma": "dogmata",
        "lemma": "lemmata", "schema": "schemata", "anathema": "anathemata", "ox": "oxen", "axe": "axes", "die": "dice",
        "yes": "yeses", "foot": "feet", "eave": "eaves", "goose": "geese", "tooth": "teeth", "quiz": "quizzes",
        "human": "humans", "proof": "proofs", "carve": "carves", "valve": "valves", "looey": "looies",
        "thief": "thieves", "groove": "grooves", "pickaxe": "pickaxes", "passerby": "passersby",
    ]

    private static let irregularPlurals = Set(irregulars.values)

    private static let uncountables = Set(
        """
        adulthood advice agenda aid aircraft alcohol ammo analytics anime athletics audio bison blood bream buffalo \
        butter carp cash chassis chess clothing cod commerce cooperation corps debris diabetes digestion elk energy \
        equipment excretion expertise firmware flounder fun gallows garbage graffiti hardware headquarters health \
        herpes highjinks homework housework information jeans justice kudos labour literature machinery mackerel mail \
        media mews moose music mud manga news only personnel pike plankton pliers police pollution premises rain \
        research rice salmon scissors series sewage shambles shrimp software species staff swine tennis traffic \
        transportation trout tuna wealth welfare whiting wildebeest wildlife you
        """.split(separator: " ").map(String.init))
}
