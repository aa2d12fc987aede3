import JSON
import Tables

extension RecordDocument {
    /// A checksum that was set under this name.
    func checksum(_ name: String) -> ObjectChecksum? {
        guard let stored = object[name]?.objectValue.map({ RecordDocument($0) }),
            let algorithm = stored.string("algorithm").flatMap(ChecksumAlgorithm.init),
            let value = stored.string("value"), var checksum = ObjectChecksum(algorithm, text: value)
        else { return nil }
        if let count = stored.integer("parts") { (checksum.type, checksum.partCount) = (.composite, Int(count)) }
        return checksum
    }

    mutating func set(_ name: String, _ checksum: ObjectChecksum?) {
        guard let checksum else { return }
        var stored = RecordDocument()
        stored.set("algorithm", checksum.algorithm.rawValue)
        stored.set("value", ObjectChecksum(checksum.algorithm, checksum.bytes).text)
        if checksum.type == .composite { stored.set("parts", Int64(checksum.partCount)) }
        object[name] = .object(stored.object)
    }
}
