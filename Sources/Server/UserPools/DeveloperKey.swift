import Crypto
import JSON
import UserPools

/// The pair of access keys that `dev` makes for a data folder, and keeps in it.
enum DeveloperKey {
    static let fileName = "access-key.json"

    /// The pair of a folder, which is made if there is none.
    static func read(_ folder: String) -> AccessKey {
        let path = "\(folder)/\(fileName)"
        if let bytes = try? Files.read(path, bytesMax: 1 << 16), let object = try? JSONReader.read(bytes),
            let id = object["accessKeyId"]?.stringValue, let secret = object["secretAccessKey"]?.stringValue
        {
            return AccessKey(id: id, secret: secret)
        }
        let key = AccessKey(
            id: "AKIA" + random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            secret: random(40, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
        let object: JSONValue = ["accessKeyId": .string(key.id), "secretAccessKey": .string(key.secret)]
        try? Files.create(path, holding: object.description + "\n")
        return key
    }

    private static func random(_ count: Int, _ alphabet: String) -> String {
        let letters = Array(alphabet)
        var generator = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }
}
