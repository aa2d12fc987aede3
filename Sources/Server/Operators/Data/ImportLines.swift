/// The lines of a file of JSON lines that are not blank, by where they are. Lines end with LF; CR before it is blank.
struct ImportLines {
    private let bytes: [UInt8]
    private var position = 0
    private var number = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next one, and its number in the file; nil after the last one.
    mutating func next() -> (number: Int, range: Range<Int>)? {
        while position < bytes.count {
            let start = position
            var isBlank = true
            while position < bytes.count, bytes[position] != 0x0A {
                switch bytes[position] {
                case 0x20, 0x0D, 0x09: break
                default: isBlank = false
                }
                position += 1
            }
            let range = start..<position
            position += 1
            number += 1
            if !isBlank { return (number, range) }
        }
        return nil
    }
}
