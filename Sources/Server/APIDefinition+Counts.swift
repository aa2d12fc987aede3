import Tables
public import Transformer

extension APIDefinition {
    /// `1 model, 2 indexes`.
    public var counts: String {
        "\(Counted.text(models.count, "model")), \(Counted.text(indexCount, "index", "indexes"))"
    }
}
