import Testing

@testable import Server

@Suite("Patterns that a text matches as a whole")
struct WholePatternTests {
    @Test("a text matches as a whole or not at all")
    func matches() throws {
        for (pattern, matching, others) in [
            ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc", "ABC"]),
            ("a|bc|", ["a", "bc", ""], ["abc", "c"]), ("web|mobile", ["web", "mobile"], ["webmobile", "we"]),
            ("a*b+c?", ["b", "aabbc"], ["", "ac", "abcc"]), ("a{2}", ["aa"], ["a", "aaa"]),
            ("a{2,}", ["aa", "aaaaa"], ["a"]), ("a{0,2}b", ["b", "aab"], ["aaab"]),
            ("(ab){1,2}", ["ab", "abab"], ["", "ababab", "aba"]), ("(a*)*", ["", "aaa"], ["b"]),
            ("(|a)+", ["", "aa"], ["b"]), ("a+?b*?", ["a", "aabb"], ["b"]),
            ("[a-c_-]+", ["a-_c"], ["d", ""]), ("[^a-c]", ["d", "-", "é"], ["a", ""]),
            (#"[\w.-]+\.[\d]+"#, ["a_b-c.12"], ["a.", "a,1"]), (#"[\]\\]"#, ["]", #"\"#], ["a"]),
            (#"\S+\s\D"#, ["ab c"], ["ab 1", "a bc"]), ("^a$", ["a"], ["b"]), ("a^b", [], ["ab"]),
            ("(^|x)a($|y)", ["a", "xa", "xay"], ["ya"]), (#"\Aa\z"#, ["a"], ["aa"]),
            (".+", ["a.é"], ["", "a\nb"]), (#"a\.b"#, ["a.b"], ["axb"]), (#"\x41\u00e9\t"#, ["Aé\t"], ["A"]),
            ("(?i)bearer [a-z]+", ["BEARER aZ", "bearer x"], ["bearer 1"]), ("(?i)[^a]", ["b"], ["a", "A"]),
            ("(?:a|b)(?<n>c)(?P<m>d)", ["acd"], ["a"]), ("}", ["}"], []),
            (#"^[A-Za-z0-9-_=]+\.[A-Za-z0-9-_=]+\.?[A-Za-z0-9-_.+/=]*$"#, ["eyJ.eyJ.x-_"], ["eyJ", "a..!"]),
            (#"us-east-1_[A-Za-z0-9]{9}"#, ["us-east-1_abcDEF123"], ["us-east-1_abc"]),
        ] as [(String, [String], [String])] {
            let whole = try WholePattern(pattern)
            for text in matching { #expect(whole.matches(text), "\(pattern) and \(text)") }
            for text in others { #expect(!whole.matches(text), "\(pattern) and \(text)") }
        }
    }

    @Test("what is no pattern, too large, or asks for more than an automaton can do is refused with its place")
    func refusals() {
        for (pattern, part) in [
            ("a(", "does not end with"), ("a)", "At character 2"), ("*a", "nothing before it"), ("[a", "does not end"),
            ("[]", "empty"), ("[b-a]", "lower to a higher"), ("[[a]]", "within a class"), ("[a&&b]", "intersections"),
            ("a{", "{n,m}"), ("a{2,1}", "at most m"), ("a{x}", "{n,m}"), ("a**", "possessive"), ("a++", "possessive"),
            ("(?=a)", "look-around"), ("(?!a)", "look-around"), ("(?<=a)", "look-around"), ("(?>a)", "atomic"),
            (#"(a)\1"#, "not supported"), (#"\bword"#, "not supported"), (#"\p{L}"#, "not supported"),
            (#"\"#, "backslash"),
            ("a(?i)b", "options"), (#"\x4"#, "hexadecimal"), ("a{5000}", "too large"),
            ("((a{100}){100}){100}", "too large"), ("((){4000}){4000}", "too large"),
            (String(repeating: "(", count: 100) + String(repeating: ")", count: 100), "too deep"),
            (String(repeating: "a", count: 5_000), "too large"),
        ] {
            let error = #expect(throws: PatternError.self, "\(pattern)") { try WholePattern(pattern) }
            #expect(error?.message.contains(part) == true, "\(pattern): \(error?.message ?? "")")
        }
    }

    @Test("the time of a match grows with the text alone, where one that tries again would not end")
    func time() throws {
        let text = String(repeating: "a", count: 2_000) + "!"
        for pattern in [
            #"(Bearer )?([A-Za-z0-9_-]+\.?)+"#, "(a+)+", "(a|a)*", "(a|aa)+", "(.*)*x", "(a*)*b", "(.*a){12}",
            "a*a*a*a*a*a*a*a*b", "(a?){500}a{500}",
        ] { #expect(try !WholePattern(pattern).matches(text), "\(pattern)") }
    }

    @Test("random patterns of repetitions and alternatives agree with Swift's")
    func random() throws {
        let seed = UInt64.testSeed(in: 0...1_000_000)
        var random = SeededGenerator(seed: seed)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        func pattern(_ depth: Int) -> String {
            switch below(depth == 0 ? 2 : 7) {
            case 0: return ["a", "b", "."][below(3)]
            case 1: return ["[ab]", "[^a]", ""][below(3)]
            case 2, 3: return pattern(depth - 1) + pattern(depth - 1)
            case 4: return "(?:\(pattern(depth - 1))|\(pattern(depth - 1)))"
            case 5: return "(\(pattern(depth - 1)))" + ["*", "+", "?"][below(3)]
            default: return "(\(pattern(depth - 1))){\(below(2)),\(1 + below(2))}"
            }
        }
        for _ in 0..<500 {
            let pattern = pattern(3)
            let (own, regex) = (try WholePattern(pattern), try Regex(pattern))
            for _ in 0..<10 {
                let text = String((0..<below(6)).map { _ in ["a", "b", "c"][below(3)] }.joined())
                #expect(
                    try own.matches(text) == (regex.wholeMatch(in: text) != nil), "\(pattern) and \(text), seed \(seed)"
                )
            }
        }
    }
}
