extension OperationCall {
    /// The conditions of a write. `If-Match` needs the permission to read as well: a caller who may only write cannot find out
    /// whether an object exists, or its entity tag (Amazon S3 User Guide, "How to prevent object overwrites with conditional
    /// writes").
    func writeConditions() throws(S3Error) -> WriteConditions {
        if request.header("if-match") != nil { try authorize(.get, on: key, in: bucket) }
        return try WriteConditions(request)
    }
}
