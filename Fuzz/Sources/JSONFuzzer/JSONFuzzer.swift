import Fuzzing
import JSON

@main enum JSONFuzzer {
    static func main() { fuzz(check) }
}

/// Strict and relaxed, read and skipped, shallow and deep: all readings of a text agree, what is read is written back
/// and read again as the same value, and an error lies within the text.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let strict = read(bytes, isRelaxed: false, depthMax: 64)
    let relaxed = read(bytes, isRelaxed: true, depthMax: 64)
    if let strict {
        // Comments and last commas are all that the relaxed form adds.
        require(relaxed == strict, "what is JSON is the same value in the relaxed form")
        require(String(validating: bytes, as: UTF8.self) != nil, "what is JSON is UTF-8")
    }
    if let value = relaxed {
        var writer = JSONWriter(capacity: 16)
        writer.write(value)
        let again = writer.withBytes { read($0, isRelaxed: false, depthMax: 64) }
        require(again == value, "a value, written and read, is the same value")
    }
    if let shallow = read(bytes, isRelaxed: false, depthMax: 3) {
        require(shallow == strict, "a bound on the depth changes no value")
    }
}

/// The value, read and skipped; both must accept alike and end alike.
private func read(_ bytes: UnsafeRawBufferPointer, isRelaxed: Bool, depthMax: Int) -> JSONValue? {
    let reading = result(bytes, isRelaxed: isRelaxed, depthMax: depthMax) { scanner throws(JSONError) in
        try scanner.readValue()
    }
    let skipping = result(bytes, isRelaxed: isRelaxed, depthMax: depthMax) { scanner throws(JSONError) in
        try scanner.skipValue()
    }
    switch (reading, skipping) {
    case (.success(let value), .success(let range)):
        require(range.upperBound <= bytes.count, "a value lies within the text")
        return value
    case (.failure(let error), .failure(let other)):
        require(error == other, "a value that is skipped is refused as one that is read")
        require((0...bytes.count).contains(error.offset), "an error lies within the text")
        return nil
    default: fatalError("a value that is skipped is checked as one that is read")
    }
}

private func result<Value>(
    _ bytes: UnsafeRawBufferPointer, isRelaxed: Bool, depthMax: Int,
    _ body: (inout JSONScanner) throws(JSONError) -> Value
) -> Result<Value, JSONError> {
    var scanner = JSONScanner(bytes, depthMax: depthMax, isRelaxed: isRelaxed)
    do throws(JSONError) {
        let value = try body(&scanner)
        try scanner.finish()
        return .success(value)
    } catch {
        return .failure(error)
    }
}
