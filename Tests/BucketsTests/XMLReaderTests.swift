import Testing

@testable import Buckets

@Suite("The XML of requests")
struct XMLReaderTests {
    private func read(_ text: String, root: String = "a") throws(S3Error) -> XMLElement {
        try XMLReader.read(Array(text.utf8), root: root)
    }

    @Test("elements, text, references, comments and CDATA are read")
    func wellFormed() throws {
        let text =
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><a xmlns=\"u\" b='c>d'>"
            + "<b>1 &lt;&amp;&gt;&quot;&apos; &#65;&#x1F600;</b><b/><c ><![CDATA[<&]]>\r\n</c >t</a>\n"
        let element = try read(text)
        #expect(element.all("b").map(\.text) == ["1 <&>\"' A😀", ""])
        #expect(element["c"]?.text == "<&\n" && element.text == "t")
    }

    @Test(
        "document types, unknown entities, processing instructions, prefixes and broken structure are refused",
        arguments: [
            "", "<a", "<a>", "</a>", "<a></b>", "<a/><a/>", "x<a/>", "<a/>x", "<b/>", "<a>&x;</a>", "<a>&lt</a>",
            "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><?pi?></a>", "<?pi?><a/>", "<x:a/>",
            "<a b/>", "<a b=c/>", "<a b=\"<\"/>", "<a b=\"c/>", "<a><!-- </a>", "<a><![CDATA[</a>", "<a>&#0;</a>",
            "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#;</a>", "<a>&#-1;</a>", "<a>\u{1}</a>", "<1/>", "< a/>",
            "<a b='1' b='1'/>", "<a xmlns='u' c='1' xmlns='v'></a>",
        ])
    func refused(text: String) {
        #expect(throws: S3Error.malformedXML) { try read(text) }
    }

    @Test("bytes that are not UTF-8, deep nesting and too many elements are refused")
    func bounds() {
        #expect(throws: S3Error.malformedXML) { try XMLReader.read([0x3C, 0x61, 0x3E, 0xFF], root: "a") }
        let deep = String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9)
        #expect(throws: S3Error.malformedXML) { try read(deep) }
        let wide = "<a>" + String(repeating: "<b/>", count: XMLReader.elementsMax) + "</a>"
        #expect(throws: S3Error.malformedXML) { try read(wide) }
    }

    @Test("what is written is read again as it was")
    func roundTrip() throws {
        let texts = ["<&>\"'", "é\u{1F600}", "\u{1}\u{7F}\n\r\t", " x "]
        let xml = XMLWriter(root: "a") { xml in
            for text in texts { xml.add("b", text) }
            xml.add("c") { $0.add("d", true) }
        }
        let element = try read(xml.text)
        #expect(element.all("b").map(\.text) == texts && element["c"]?["d"]?.text == "true")
    }

    @Test("control characters are refused in text, comments and CDATA, and line ends are read as line feeds in each")
    func controlCharacters() throws {
        func text(_ content: String) throws(S3Error) -> String {
            try XMLReader.read(Array("<Tagging>\(content)</Tagging>".utf8), root: "Tagging").text
        }
        for content in ["a\u{0}", "<!-- \u{1} -->", "<![CDATA[a\u{0}]]>"] {
            #expect(throws: S3Error.malformedXML) { try text(content) }
        }
        #expect(try text("a\r\nb<![CDATA[\r\nc\rd<&]]>") == "a\nb\nc\nd<&")
    }

    @Test("documents that were changed at random are read or refused")
    func random() {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        let documents = [
            "<?xml version=\"1.0\"?><Delete xmlns=\"x\"><Object><Key>a&amp;b</Key></Object><Quiet>true</Quiet></Delete>",
            "<Delete><!-- c --><Object><Key><![CDATA[k]]></Key></Object></Delete>",
        ].map { Array($0.utf8) }
        for _ in 0..<3_000 {
            var bytes = documents[Int.random(in: 0..<documents.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(.random(in: 0...255, using: &generator), at: index)
                case 2: bytes[index] = Array("<>&;/!?\"' ".utf8).randomElement(using: &generator) ?? 0
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { break }
            }
            do throws(S3Error) {
                _ = try XMLReader.read(bytes, root: "Delete")
            } catch {
                #expect(error == .malformedXML, "seed \(seed)")
            }
        }
    }
}
