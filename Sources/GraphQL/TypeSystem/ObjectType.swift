/// The parts of an object type. Spec §3.6 Objects. An interface has the same ones (§3.7 Interfaces).
public final class ObjectType: Sendable {
    /// The interfaces it implements, in the schema's order.
    public let interfaces: [TypeID]
    /// Its fields, in the schema's order.
    public let fields: [FieldType]

    init(interfaces: [TypeID], fields: [FieldType]) {
        self.interfaces = interfaces
        self.fields = fields
    }
}
