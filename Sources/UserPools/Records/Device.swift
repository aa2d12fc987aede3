import JSON
import Tables

/// A device of a user.
struct Device: Record {
    /// `User.reference`.
    var user: String
    /// `<region>_<uuid>`.
    var key: String { deviceKey }
    var deviceKey: String
    var groupKey: String
    var name: String?
    /// The sealed verifier of the device's password; nil until it is confirmed.
    var verifier: String?
    var isRemembered = false
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var lastAuthenticated: Int64
    var address: String?
    var revision: Int64 = 0

    /// The associated data of the sealed verifier, which binds it to this device.
    var context: String { Self.context(user: user, deviceKey: deviceKey) }

    static func context(user: String, deviceKey: String) -> String { "device:\(user):\(deviceKey)" }

    static let table = Table(
        system: RecordTables.namePrefix + "Devices", ["user", "deviceKey", "document"], key: ("user", "deviceKey"))

    init(user: String, deviceKey: String, groupKey: String, created: Int64) {
        (self.user, self.deviceKey, self.groupKey) = (user, deviceKey, groupKey)
        (self.created, modified, lastAuthenticated) = (created, created, created)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let user = row[0].text, let deviceKey = row[1].text, let document = RecordDocument(row[2].text),
            let groupKey = document.string("groupKey")
        else { return nil }
        self.init(user: user, deviceKey: deviceKey, groupKey: groupKey, created: document.integer("created") ?? 0)
        name = document.string("name")
        verifier = document.string("verifier")
        isRemembered = document.bool("isRemembered")
        modified = document.integer("modified") ?? created
        lastAuthenticated = document.integer("lastAuthenticated") ?? created
        address = document.string("address")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("groupKey", groupKey)
        document.set("name", name)
        document.set("verifier", verifier)
        document.set("isRemembered", isRemembered)
        document.set("created", created)
        document.set("modified", modified)
        document.set("lastAuthenticated", lastAuthenticated)
        document.set("address", address)
        return [.text(user), .text(deviceKey), .text(document.text)]
    }
}
