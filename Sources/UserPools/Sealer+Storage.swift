import Encodings
import JSON

extension Sealer {
    /// The sealing keys of a storage; the first one is made where there is none.
    init(in storage: KeyStorage, _ randomness: Randomness) throws(KeyStorage.Failure) {
        if let bytes = try storage.read(Self.fileName) {
            guard let object = try? JSONReader.read(bytes), let current = object["current"]?.stringValue,
                let members = object["keys"]?.objectValue
            else { throw KeyStorage.Failure(message: "\(Self.fileName) is damaged.") }
            var keys: [String: [UInt8]] = [:]
            for (name, value) in members {
                keys[name] = value.stringValue.flatMap { Base64.decode($0.utf8) }.flatMap { $0.count == 32 ? $0 : nil }
            }
            guard keys.count == members.count, keys[current] != nil else {
                throw KeyStorage.Failure(message: "\(Self.fileName) is damaged.")
            }
            self.init(keys: keys, current: current)
        } else {
            let name = randomness.text(8, of: Randomness.lowercase)
            let key = randomness.bytes(32)
            let object: JSONValue = ["current": .string(name), "keys": [name: .string(Base64.encode(key))]]
            try storage.write(Self.fileName, Array(object.description.utf8))
            self.init(keys: [name: key], current: name)
        }
    }

    /// The file of the sealing keys.
    static let fileName = "sealing.json"
}
