import HTTP

/// What the header fields of a read say about how it is answered: found by one look at their names, of which no text is made.
struct ReadFields: Sendable {
    /// Whether there is an `Authorization` or an `x-amz-` field: a signature covers it, or an operation serves it.
    private(set) var hasSigned = false
    /// Whether there is a condition, a `Range` or an `Origin`, which change the answer.
    private(set) var changesAnswer = false
    /// Fields named `Host`.
    private(set) var hostCount = 0

    init(_ request: Request) {
        var (hasSigned, changesAnswer, hostCount) = (false, false, 0)
        unsafe request.forEachFieldName { name in
            guard let first = unsafe name.first else { return }
            switch first | 0x20 {
            case UInt8(ascii: "a"): if unsafe name.isEqual(lowercased: "authorization") { hasSigned = true }
            case UInt8(ascii: "h"): if unsafe name.isEqual(lowercased: "host") { hostCount += 1 }
            case UInt8(ascii: "i"): if unsafe name.hasPrefix(lowercased: "if-") { changesAnswer = true }
            case UInt8(ascii: "o"): if unsafe name.isEqual(lowercased: "origin") { changesAnswer = true }
            case UInt8(ascii: "r"): if unsafe name.isEqual(lowercased: "range") { changesAnswer = true }
            case UInt8(ascii: "x"): if unsafe name.hasPrefix(lowercased: "x-amz-") { hasSigned = true }
            default: break
            }
        }
        (self.hasSigned, self.changesAnswer, self.hostCount) = (hasSigned, changesAnswer, hostCount)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those of a text in lower case, ignoring the case of ASCII letters.
    fileprivate func isEqual(lowercased text: StaticString) -> Bool {
        unsafe count == text.utf8CodeUnitCount && hasPrefix(lowercased: text)
    }

    /// Whether the bytes begin with those of a text in lower case, ignoring the case of ASCII letters.
    ///
    /// Memory safety: as many bytes are compared as the text has, and no more than there are.
    fileprivate func hasPrefix(lowercased text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        let start = unsafe text.utf8Start
        for index in 0..<text.utf8CodeUnitCount {
            let byte = unsafe self[index]
            guard unsafe (0x41...0x5A ~= byte ? byte | 0x20 : byte) == start[index] else { return false }
        }
        return true
    }
}
