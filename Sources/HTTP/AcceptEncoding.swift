/// What Accept-Encoding says of gzip. RFC 9110 §12.5.3; weights in thousandths.
struct AcceptEncoding {
    private var gzip: Int?
    private var identity: Int?
    private var any: Int?

    /// Whether gzip is acceptable and not liked less than no coding. Without the field, nothing is asked for.
    var prefersGzip: Bool {
        let weight = gzip ?? any ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    /// Reads one line; several lines are one list.
    mutating func read(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var (gzip, identity, any) = (gzip, identity, any)
        bytes.forEachListMember(in: value) { member in
            let end = bytes.firstIndex(of: ASCII.semicolon, from: member.lowerBound)
            let name = bytes.trimmed(member.lowerBound..<min(end ?? member.upperBound, member.upperBound))
            let weight = AcceptEncoding.weight(bytes, name.upperBound..<member.upperBound)
            if bytes.matches(name, "gzip") || bytes.matches(name, "x-gzip") { gzip = weight }
            if bytes.matches(name, "identity") { identity = weight }
            if bytes.matches(name, "*") { any = weight }
        }
        (self.gzip, self.identity, self.any) = (gzip, identity, any)
    }

    /// RFC 9110 §12.4.2: `;q=0.5` is 500. A weight that cannot be read is 0: plain bytes are always understood.
    private static func weight(_ bytes: borrowing Span<UInt8>, _ parameters: Range<Int>) -> Int {
        var weight = 1000
        bytes.forEachListMember(in: parameters, separator: ASCII.semicolon) { parameter in
            guard parameter.count >= 2, bytes[parameter.lowerBound].lowercased == UInt8(ascii: "q"),
                bytes[parameter.lowerBound + 1] == ASCII.equals
            else { return }
            weight = thousandths(bytes, parameter.lowerBound + 2..<parameter.upperBound) ?? 0
        }
        return weight
    }

    /// `0` or `1`, then at most three decimals.
    private static func thousandths(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard (1...5).contains(range.count), bytes[range.lowerBound].isDigit else { return nil }
        var value = Int(bytes[range.lowerBound] - ASCII.zero) * 1000
        var place = 100
        for index in range.dropFirst() {
            if index == range.lowerBound + 1 {
                guard bytes[index] == UInt8(ascii: ".") else { return nil }
                continue
            }
            guard bytes[index].isDigit else { return nil }
            value += Int(bytes[index] - ASCII.zero) * place
            place /= 10
        }
        return value <= 1000 ? value : nil
    }
}
