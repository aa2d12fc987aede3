/// What a value is, by its first byte.
public enum JSONKind: Sendable, Hashable {
    case object, array, string, number, bool, null
}
