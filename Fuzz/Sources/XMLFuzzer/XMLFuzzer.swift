import Fuzzing

@main enum XMLFuzzer {
    static func main() { fuzz(check) }
}

/// The body of a request in XML.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let document = Array(bytes)
    for root in ["Delete", "CompleteMultipartUpload", "CORSConfiguration", "Tagging"] {
        guard let element = try? XMLReader.read(document, root: root) else { continue }
        require(element.name == root, "the root has the name that was asked for")
        require(depth(of: element) <= XMLReader.depthMax, "nesting has a bound")
        let writer = XMLWriter(root: root) { write(element, into: &$0) }
        let again = try? XMLReader.read(Array(writer.text.utf8), root: root)
        require(again.map { isEqual($0, element) } ?? false, "what is written is read again as it was")
    }
}

private func depth(of element: XMLElement) -> Int { 1 + (element.elements.map(depth).max() ?? 0) }

private func write(_ element: XMLElement, into xml: inout XMLWriter) {
    xml.append(element.text)
    for child in element.elements { xml.add(child.name) { write(child, into: &$0) } }
}

private func isEqual(_ one: XMLElement, _ other: XMLElement) -> Bool {
    one.name == other.name && one.text.utf8.elementsEqual(other.text.utf8) && one.elements.count == other.elements.count
        && zip(one.elements, other.elements).allSatisfy(isEqual)
}
