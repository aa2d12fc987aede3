import Foundation
import JSON
import Testing
import Transformer

@testable import Codegen

@Suite("Models of amplify-js")
struct TypeScriptModelTests {
    private static let notInstalled: Comment = "tsc is not installed: scripts/install-dependencies --typescript"

    private func metadata(_ schema: String, _ profile: CodegenProfile) throws -> JSONValue {
        let files = try generatedFiles(schema, .typescript, CodegenOptions(profile))
        let text = try #require(files["schema.js"])
        return try JSONReader.read(String(text.dropFirst("export const schema = ".count).dropLast(2)))
    }

    @Test("the files are those that an app imports from models/")
    func files() throws {
        let schema = "type Post @model { id: ID! title: String }\nenum Color { LIGHT_BLUE }"
        let files = try generatedFiles(schema, .typescript, CodegenOptions(.v2))
        #expect(files.map(\.name) == ["index.d.ts", "index.js", "schema.js", "schema.d.ts"])
        #expect(
            files["index.js"] == """
                // @ts-check
                import { initSchema } from '@aws-amplify/datastore';
                import { schema } from './schema';

                const Color = {
                  "LIGHT_BLUE": "LIGHT_BLUE"
                };

                const { Post } = initSchema(schema);

                export {
                  Post,
                  Color
                };

                """)
        #expect(
            files["index.d.ts"] == """
                import { ModelInit, MutableModel, __modelMeta__, ManagedIdentifier } from "@aws-amplify/datastore";
                // @ts-ignore
                import { LazyLoading, LazyLoadingDisabled } from "@aws-amplify/datastore";

                export enum Color {
                  "LIGHT_BLUE" = "LIGHT_BLUE"
                }

                type EagerPost = {
                  readonly [__modelMeta__]: {
                    identifier: ManagedIdentifier<Post, 'id'>;
                    readOnlyFields: 'createdAt' | 'updatedAt';
                  };
                  readonly id: string;
                  readonly title?: string | null;
                  readonly createdAt?: string | null;
                  readonly updatedAt?: string | null;
                }

                type LazyPost = {
                  readonly [__modelMeta__]: {
                    identifier: ManagedIdentifier<Post, 'id'>;
                    readOnlyFields: 'createdAt' | 'updatedAt';
                  };
                  readonly id: string;
                  readonly title?: string | null;
                  readonly createdAt?: string | null;
                  readonly updatedAt?: string | null;
                }

                export declare type Post = LazyLoading extends LazyLoadingDisabled ? EagerPost : LazyPost

                export declare const Post: (new (init: ModelInit<Post>) => Post) & {
                  copyOf(source: Post, mutator: (draft: MutableModel<Post>) => MutableModel<Post> | void): Post;
                }

                """)
    }

    @Test("relations are lazy in one of the types, and name the fields of their keys")
    func relations() throws {
        let schema = """
            type Blog @model { slug: ID! @primaryKey(sortKeyFields: ["year"]) year: Int! posts: [Post] @hasMany tags: [Tag!]! }
            type Post @model { id: ID! blog: Blog! @belongsTo cover: Image @hasOne }
            type Image @model { key: ID! @primaryKey }
            type Tag { name: String! color: Color colors: [Color] }
            enum Color { RED }
            """
        let text = try #require(try generatedFiles(schema, .typescript, CodegenOptions(.v2))["index.d.ts"])
        for line in [
            "    identifier: CompositeIdentifier<Blog, ['slug', 'year']>;",
            "    identifier: CustomIdentifier<Image, 'key'>;",
            "  readonly posts?: (Post | null)[] | null;", "  readonly posts: AsyncCollection<Post>;",
            "  readonly blog: Blog;", "  readonly blog: AsyncItem<Blog>;", "  readonly cover?: Image | null;",
            "  readonly cover: AsyncItem<Image | undefined>;", "  readonly tags: Tag[];",
            "  readonly color?: Color | keyof typeof Color | null;",
            "  readonly colors?: (Color | keyof typeof Color | null)[] | null;",
            "export declare const Tag: (new (init: ModelInit<Tag>) => Tag)",
        ] {
            #expect(text.contains(line + "\n"), "\(line)\n\(text)")
        }
        let models = try metadata(schema, .v2)["models"]
        #expect(
            models?["Blog"]?["fields"]?["posts"]?["association"] == [
                "connectionType": "HAS_MANY", "associatedWith": ["blogPostsSlug", "blogPostsYear"],
            ])
        #expect(
            models?["Post"]?["fields"]?["cover"]?["association"] == [
                "connectionType": "HAS_ONE", "associatedWith": ["key"], "targetNames": ["postCoverKey"],
            ])
    }

    @Test("without custom keys a relation names one field, and the read-only fields are in a type of their own")
    func oneKey() throws {
        let schema = """
            type Post @model { id: ID! comments: [Comment] @connection(name: "C") }
            type Comment @model { id: ID! post: Post @connection(name: "C") }
            """
        let metadata = try metadata(schema, .v1Timestamps)
        #expect(
            metadata["models"]?["Post"]?["fields"]?["comments"]?["association"] == [
                "connectionType": "HAS_MANY", "associatedWith": "post",
            ])
        #expect(
            metadata["models"]?["Comment"]?["fields"]?["post"]?["association"] == [
                "connectionType": "BELONGS_TO", "targetName": "commentPostId",
            ])
        #expect(metadata["codegenVersion"] == "3.4.4" && metadata["models"]?["Post"]?["primaryKeyInfo"] == nil)
        let text = try #require(try generatedFiles(schema, .typescript, CodegenOptions(.v1Timestamps))["index.d.ts"])
        #expect(text.contains("type PostMetaData = {\n  readOnlyFields: 'createdAt' | 'updatedAt';\n}\n"))
        #expect(text.contains("(new (init: ModelInit<Post, PostMetaData>) => Post)"))
        #expect(!text.contains("__modelMeta__"))
        let legacy = try #require(try generatedFiles(schema, .typescript, CodegenOptions(.legacy))["index.d.ts"])
        #expect(legacy.contains("(new (init: ModelInit<Post>) => Post)") && !legacy.contains("MetaData"))
    }

    @Test("the version is that of the models in Swift")
    func version() throws {
        let schema = "type Post @model { id: ID! title: String }"
        let registry = try #require(try swiftModels(schema, .v1Timestamps)["AmplifyModels.swift"])
        let version = try #require(try metadata(schema, .v1Timestamps)["version"]?.stringValue)
        #expect(version.utf8.count == 32 && registry.contains("\"\(version)\""))
    }

    @Test(
        "the models of golden schemas are accepted by tsc --strict",
        .enabled(if: TypeScriptCompiler.isInstalled, notInstalled))
    func compiles() throws {
        let names = """
            type class @model { id: ID! new: Boolean schema: schema enum: enum color: [default!] }
            type schema { ModelInit: Int }
            type Promise @model { id: ID! }
            enum enum { NaN A a_b aB }
            enum default { X _1 _2 }
            type keyof @model { id: ID! unique: [unique!] readonly: infer as: as }
            type unique { readonly: readonly }
            type readonly { x: Int }
            type infer { x: Int }
            type as { x: Int }
            """
        try withFolder { folder in
            let stub = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/TypeScript/datastore.d.ts.txt")
            let library = folder.appending(path: "node_modules/@aws-amplify/datastore")
            try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: stub, to: library.appending(path: "index.d.ts"))
            for golden in Golden.all {
                let files = try generatedFiles(try golden.source, .typescript, CodegenOptions(golden.profile))
                try write(files, to: folder.appending(path: "\(golden.schema)-\(golden.profile.rawValue)"))
            }
            for (index, golden) in StatementGolden.all.enumerated() {
                let options = CodegenOptions(index == 0 ? .v1Timestamps : .v2)
                let files = try generatedFiles(try golden.input, .typescript, options)
                try write(files, to: folder.appending(path: golden.name))
            }
            try write(
                try generatedFiles(names, .typescript, CodegenOptions(.v2)), to: folder.appending(path: "names"))
            let usage = """
                import { Post, Comment } from "./blog-v1/index";
                export const post = new Post({ title: "a", status: "DRAFT", rank: 1, tags: ["b"] });
                export const copy: Post = Post.copyOf(post, (draft) => { draft.title = "c"; });
                // @ts-expect-error: a title is required
                export const untitled = new Post({ status: "DRAFT", rank: 1, tags: [] });
                export const text: string | null | undefined = new Comment({ content: "a", post }).content;
                """
            try write([GeneratedFile(name: "usage.ts", text: usage)], to: folder)
            #expect(try TypeScriptCompiler.errors(in: folder, checksJavaScript: true) == [])
        }
    }
}
