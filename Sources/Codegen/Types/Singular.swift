/// English singulars, by the rules that Amplify names nested types with: those of Ruby on Rails
/// (ActiveSupport, "Inflections").
enum Singular {
    /// What comes before an ending.
    private enum Stem {
        case text(String)
        /// The whole of the word before its ending.
        case whole(String)
        case oneOf(String)
        case noneOf(String)

        func matches(_ text: Substring) -> Bool {
            switch self {
            case .text(let end): text.hasSuffix(end)
            case .whole(let whole): text == whole
            case .oneOf(let letters): text.last.map(letters.contains) ?? false
            case .noneOf(let letters): text.last.map { !letters.contains($0) } ?? false
            }
        }
    }

    /// What is put in the place of an ending, if one of the stems is before it.
    private struct Rule {
        let stems: [Stem]
        let endings: [String]
        let replacement: String

        init(_ stems: [Stem], _ endings: [String], to replacement: String = "") {
            (self.stems, self.endings, self.replacement) = (stems, endings, replacement)
        }

        init(_ words: [String], _ endings: [String], to replacement: String = "") {
            self.init(words.map(Stem.text), endings, to: replacement)
        }
    }

    static func singular(_ word: String) -> String {
        let lower = word.lowercased()
        guard !uncountables.contains(lower) else { return word }
        for rule in rules {
            for ending in rule.endings where lower.hasSuffix(ending) {
                let rest = lower.dropLast(ending.count)
                if rule.stems.contains(where: { $0.matches(rest) }) {
                    return word.prefix(rest.count) + rule.replacement
                }
            }
        }
        return word
    }

    private static let uncountables: Set = [
        "delta", "equipment", "fish", "information", "jeans", "money", "police", "rice", "series", "sheep", "species",
    ]

    /// The first that matches counts.
    private static let rules = [
        Rule(["z"], ["ombies", "ombie"], to: "ombie"),
        Rule(["m"], ["oves", "ove"], to: "ove"),
        Rule(["s"], ["exes", "ex"], to: "ex"),
        Rule(["c"], ["hildren", "hild"], to: "hild"),
        Rule(["m"], ["en", "an"], to: "an"),
        Rule(["p"], ["eople", "erson"], to: "erson"),
        Rule(["database"], ["s"]),
        Rule(["quiz"], ["zes"]),
        Rule(["matr"], ["ices"], to: "ix"),
        Rule(["vert", "ind"], ["ices"], to: "ex"),
        Rule([.whole("ox")], ["en"]),
        Rule(["alias", "status"], ["es", ""]),
        Rule(["octop", "vir"], ["us", "i"], to: "us"),
        Rule([.whole("a")], ["xis", "xes"], to: "xis"),
        Rule(["cris", "test"], ["is", "es"], to: "is"),
        Rule(["shoe"], ["s"]),
        Rule(["o"], ["es"]),
        Rule(["bus"], ["es", ""]),
        Rule([.whole("m"), .whole("l")], ["ice"], to: "ouse"),
        Rule(["x", "ch", "ss", "sh"], ["es"]),
        Rule(["movie"], ["s"]),
        Rule(["series"], [""]),
        Rule([.noneOf("aeiouy"), .text("qu")], ["ies"], to: "y"),
        Rule([.oneOf("lr")], ["ves"], to: "f"),
        Rule(["tive", "hive"], ["s"]),
        Rule([.noneOf("f")], ["ves"], to: "fe"),
        Rule(
            ["analy", "ba", "diagno", "parenthe", "progno", "synop", "the"], ["sis", "ses"], to: "sis"),
        Rule([.oneOf("ti")], ["a"], to: "um"),
        Rule(["news"], [""]),
        Rule(["ss"], [""]),
        Rule([""], ["s"]),
    ]
}
