import GraphQL
import Testing
import Transformer

@testable import Codegen

@Suite("Relations of generated models")
struct RelationTests {
    private func schema(_ name: String, _ files: [GeneratedFile]) -> String { files["\(name)+Schema.swift"] ?? "" }

    // MARK: - Version 1

    @Test("a bare connection of a list adds its foreign key to the other model")
    func bareList() throws {
        let files = try swiftModels(
            "type Post @model { id: ID! comments: [Comment!] @connection }\ntype Comment @model { id: ID! }", .legacy)
        #expect(schema("Post", files).contains("associatedWith: Comment.keys.postCommentsId)"))
        #expect(schema("Comment", files).contains(".field(comment.postCommentsId, is: .optional, ofType: .string)"))
        #expect(files["Post.swift"]?.contains("public var comments: List<Comment>?\n") == true)
        #expect(files["Post.swift"]?.contains("comments: List<Comment> = [])") == true)
    }

    @Test(
        "one-to-one connections: the required side belongs to the other; optional ones have one, which DataStore refuses"
    )
    func oneToOne() throws {
        let text = """
            type Person @model { id: ID! license: License @connection(name: "PL") }
            type License @model { id: ID! person: Person! @connection(name: "PL") }
            """
        let files = try swiftModels(text, .legacy)
        #expect(
            schema("Person", files).contains(
                ".hasOne(person.license, is: .optional, ofType: License.self, associatedWith: License.keys.person, "
                    + "targetName: \"personLicenseId\")"))
        #expect(schema("License", files).contains(".belongsTo(license.person, is: .required, ofType: Person.self, "))

        let optional = text.replacing("Person!", with: "Person")
        #expect(schema("License", try swiftModels(optional, .legacy)).contains(".hasOne(license.person"))
        var options = CodegenOptions(.legacy)
        options.isDataStoreEnabled = true
        let refused = refusal(optional, options)
        #expect(refused.first?.message.contains("both sides of connection as optional field: Person.license") == true)
        #expect(refused.first?.place?.line == 1 && refused.first?.hint != nil)
    }

    @Test("a connection by fields hides the field that holds the key")
    func byFields() throws {
        let files = try swiftModels(
            """
            type Post @model { id: ID! comments: [Comment] @connection(keyName: "byPost", fields: ["id"], limit: 10) }
            type Comment @model @key(name: "byPost", fields: ["postID", "rank"]) {
              id: ID! postID: ID! rank: Int! post: Post @connection(fields: ["postID"])
            }
            """, .v1Timestamps)
        #expect(schema("Post", files).contains("associatedWith: Comment.keys.post)"))
        let comment = schema("Comment", files)
        #expect(comment.contains("targetName: \"postID\")") && !comment.contains("case postID"))
        #expect(comment.contains(".index(fields: [\"postID\", \"rank\"], name: \"byPost\")"))
    }

    @Test("a field of a model's type without a relation is left out, with a warning at its place")
    func unconnected() throws {
        let text = "type Post @model { id: ID! }\ntype Note @model { id: ID! post: Post }"
        guard
            case .success(let files, let warnings) = Codegen.models(
                [.init(text, name: "schema.graphql")], target: .swift, options: CodegenOptions(.legacy))
        else {
            Issue.record("the schema is refused")
            return
        }
        #expect(!schema("Note", files).contains("post"))
        #expect(warnings.count == 1 && warnings[0].place?.line == 2)
    }

    // MARK: - Version 2

    @Test("a custom key identifies items, and foreign keys have its names and types")
    func customKey() throws {
        let files = try swiftModels(
            """
            type Project @model {
              code: ID! @primaryKey(sortKeyFields: ["year"]) year: Int! tasks: [Task] @hasMany team: Team! @hasOne
            }
            type Task @model { id: ID! note: String @index(sortKeyFields: ["id"]) }
            type Team @model { name: String! @primaryKey }
            """, .v2)
        #expect(files["Project.swift"]?.contains("public let code: String\n  public let year: Int\n") == true)
        let project = schema("Project", files)
        #expect(
            project.contains(
                """
                      .index(fields: ["code", "year"], name: nil),
                      .primaryKey(fields: [project.code, project.year])
                """))
        #expect(
            project.hasSuffix(
                """
                extension Project: ModelIdentifiable {
                  public typealias IdentifierFormat = ModelIdentifierFormat.Custom
                  public typealias IdentifierProtocol = ModelIdentifier<Self, ModelIdentifierFormat.Custom>
                }

                extension Project.IdentifierProtocol {
                  public static func identifier(code: String,
                      year: Int) -> Self {
                    .make(fields:[(name: "code", value: code), (name: "year", value: year)])
                  }
                }
                """))
        #expect(project.contains("associatedWith: Task.keys.projectTasksCode)"))
        #expect(
            project.contains("associatedWith: Team.keys.name, targetNames: [\"projectTeamName\"])"))
        #expect(project.contains(".field(project.projectTeamName, is: .required, ofType: .string)"))
        let task = schema("Task", files)
        #expect(task.contains(".field(task.projectTasksYear, is: .optional, ofType: .int)"))
        #expect(task.contains(".index(fields: [\"note\", \"id\"], name: \"tasksByNoteAndId\")"))
    }

    @Test("a project of version 2 that ignores custom keys has an id, and foreign keys of one ID")
    func ignoredKeys() throws {
        var options = CodegenOptions(.v2)
        options.respectPrimaryKeyAttributesOnConnectionField = false
        let files = try generatedFiles(
            """
            type Blog @model { id: ID! posts: [Post] @hasMany motto: Motto @hasOne }
            type Post @model { id: ID! blog: Blog @belongsTo }
            type Motto @model { id: ID! }
            """, .swift, options)
        let blog = schema("Blog", files)
        #expect(blog.contains(".id(),") && !blog.contains("primaryKey") && !blog.contains("ModelIdentifiable"))
        #expect(blog.contains(".hasMany(blog.posts, is: .optional, ofType: Post.self, associatedWith: Post.keys.blog)"))
        #expect(blog.contains("associatedWith: Motto.keys.id, targetName: \"blogMottoId\")"))
        #expect(blog.contains(".field(blog.blogMottoId, is: .optional, ofType: .string)"))
        let post = schema("Post", files)
        #expect(post.contains(".belongsTo(post.blog, is: .optional, ofType: Blog.self, targetName: \"blogPostsId\")"))
        #expect(!post.contains("case blogPostsId"))
    }

    @Test("an id that is declared to be the key identifies items by default")
    func declaredID() throws {
        let item = schema("Item", try swiftModels("type Item @model { id: ID! @primaryKey }", .v2))
        #expect(item.contains("ModelIdentifierFormat.Default") && item.contains(".index(fields: [\"id\"], name: nil)"))
    }

    @Test("@manyToMany makes a model with both sides, their rules and the keys hidden")
    func manyToMany() throws {
        let files = try swiftModels(
            """
            type Post @model @auth(rules: [{ allow: public }]) { id: ID! tags: [Tag] @manyToMany(relationName: "postTags") }
            type Tag @model @auth(rules: [{ allow: private }]) { id: ID! posts: [Post] @manyToMany(relationName: "postTags") }
            """, .v2)
        #expect(files.suffix(3).map(\.name) == ["PostTags.swift", "PostTags+Schema.swift", "AmplifyModels.swift"])
        let join = schema("PostTags", files)
        #expect(
            join.contains(
                """
                    case id
                    case post
                    case tag
                    case createdAt
                    case updatedAt
                  }
                """))
        #expect(join.contains("rule(allow: .public, ") && join.contains("rule(allow: .private, "))
        #expect(join.contains(".index(fields: [\"postId\"], name: \"byPost\")"))
        #expect(join.contains(".belongsTo(postTags.tag, is: .required, ofType: Tag.self, targetNames: [\"tagId\"])"))
        #expect(
            schema("Post", files).contains(
                ".hasMany(post.tags, is: .optional, ofType: PostTags.self, associatedWith: PostTags.keys.post)"))
        #expect(
            files["AmplifyModels.swift"]?.contains("Tag.self)\n    ModelRegistry.register(modelType: PostTags.self)")
                == true)
    }

    @Test("relations by references name the field that refers")
    func references() throws {
        let files = try swiftModels(
            """
            type Team @model { id: ID! members: [Member] @hasMany(references: "teamId") badge: Badge @hasOne(references: ["ownerId"]) }
            type Member @model { id: ID! teamId: ID team: Team @belongsTo(references: ["teamId"]) }
            type Badge @model { id: ID! ownerId: ID owner: Team @belongsTo(references: "ownerId") }
            """, .v2Lazy)
        let team = schema("Team", files)
        #expect(
            team.contains(
                ".hasMany(team.members, is: .optional, ofType: Member.self, associatedFields: [Member.keys.team])"))
        #expect(
            team.contains(
                ".hasOne(team.badge, is: .optional, ofType: Badge.self, associatedFields: [Badge.keys.owner])"))
        #expect(schema("Member", files).contains("targetNames: [\"teamId\"])"))
        #expect(!schema("Member", files).contains("case teamId"))
    }

    @Test("what clients cannot know is refused at its place, with a hint")
    func refusals() {
        let rows = [
            ("type A @model { id: ID! b: B @belongsTo }\ntype B @model { id: ID! }", CodegenProfile.v2),
            ("type A @model { id: ID! b: Bee }", .v2), ("type A @model { id: ID! b: [B] @hasMany }", .v1Timestamps),
            ("type A @model { id: ID! @key }", .legacy), ("type A @model {", .legacy),
            ("type A @model { id: ID! u: U }\nunion U = A", .v2),
        ]
        for (text, profile) in rows {
            let diagnostics = refusal(text, CodegenOptions(profile))
            #expect(diagnostics.first?.place?.line == 1, "\(text): \(diagnostics)")
            #expect(diagnostics.allSatisfy { !$0.message.isEmpty })
        }
    }
}
