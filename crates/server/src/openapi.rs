//! The OpenAPI document of the native API. Handlers are registered together with their descriptions, so it names what
//! there is, and a test compares it with the committed copy (docs/openapi.json).

use axum::{Router, extract::State, response::IntoResponse};
use http::header;
use utoipa::{
    OpenApi, ToSchema,
    openapi::{
        Content, InfoBuilder, OpenApi as Document, OpenApiBuilder, Ref, ResponseBuilder, Server,
        path::{Operation, PathItem},
        security::{
            ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
        },
        tag::TagBuilder,
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{app::App, problem::ProblemView, routes as calls};

/// What is described although no call names it.
#[derive(OpenApi)]
#[openapi(components(schemas(ProblemView)))]
struct Beside;

/// The calls of the native API, with their descriptions.
pub(crate) fn calls(public_url: Option<&str>) -> (Router<App>, Document) {
    let router = OpenApiRouter::with_openapi(empty(public_url))
        .routes(routes!(calls::acts::send))
        .routes(routes!(calls::tasks::list))
        .routes(routes!(calls::tasks::get))
        .routes(routes!(calls::tasks::tree))
        .routes(routes!(calls::tasks::cancel))
        .routes(routes!(calls::tasks::redrive))
        .routes(routes!(calls::events::of_task))
        .routes(routes!(calls::conversations::get))
        .routes(routes!(calls::events::of_conversation))
        .routes(routes!(calls::conversations::close))
        .routes(routes!(calls::conversations::migrate))
        .routes(routes!(calls::asks::list))
        .routes(routes!(calls::asks::get))
        .routes(routes!(calls::asks::answer))
        .routes(routes!(calls::inbox::list))
        .routes(routes!(calls::commitments::list))
        .routes(routes!(calls::dead_letters::list))
        .routes(routes!(calls::artifacts::get))
        .routes(routes!(calls::agents::list))
        .routes(routes!(
            calls::agents::get,
            calls::definitions::put,
            calls::definitions::retire
        ))
        .routes(routes!(calls::definitions::version))
        .routes(routes!(calls::agents::mailbox))
        .routes(routes!(calls::principals::list))
        .routes(routes!(calls::principals::put))
        .routes(routes!(calls::keys::list, calls::keys::make))
        .routes(routes!(calls::keys::revoke))
        .routes(routes!(calls::claims::claim))
        .routes(routes!(calls::claims::heartbeat))
        .routes(routes!(calls::batch::batch))
        .routes(routes!(calls::hops::operate))
        .routes(routes!(calls::health::lives))
        .routes(routes!(calls::health::takes_work))
        .routes(routes!(calls::metrics::show));
    let (router, mut document) = router.split_for_parts();
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            say_what_may_go_wrong(operation);
        }
    }
    (router, document)
}

/// The OpenAPI document, as it is served and as docs/openapi.json holds it.
pub fn document() -> String {
    let (_, document) = calls(None);
    // Strings, numbers and maps with string keys: there is always a JSON form.
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

fn empty(public_url: Option<&str>) -> Document {
    let info = InfoBuilder::new()
        .title("Tertulia")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Durable, accountable conversations of agents. What the house decides about an act is status 200 with an \
             act that has a reason; other statuses are problems (RFC 9457). docs/api.md says what the shapes mean.",
        ))
        .build();
    let mut components = Beside::openapi().components.unwrap_or_default();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)),
    );
    components.add_security_scheme(
        "api_key",
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-API-Key"))),
    );
    let scopes: [&str; 0] = [];
    let tags = [
        ("principals", "Calls of persons and services"),
        ("agents", "Agents, their definitions, principals and keys"),
        ("workers", "Calls of workers"),
        ("operators", "Health and metrics"),
    ];
    let tags =
        tags.map(|(name, what)| TagBuilder::new().name(name).description(Some(what)).build());
    OpenApiBuilder::new()
        .info(info)
        .servers(public_url.map(|url| vec![Server::new(url)]))
        .components(Some(components))
        .security(Some([
            SecurityRequirement::new("bearer", scopes),
            SecurityRequirement::new("api_key", scopes),
        ]))
        .tags(Some(tags))
        .build()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.delete,
    ]
    .into_iter()
    .flatten()
}

/// Every call can end in a problem.
fn say_what_may_go_wrong(operation: &mut Operation) {
    let schema = Ref::from_schema_name(ProblemView::name());
    let problem = ResponseBuilder::new()
        .description("The call could not be carried out (docs/statuses.md)")
        .content("application/problem+json", Content::new(Some(schema)))
        .build();
    operation
        .responses
        .responses
        .insert("default".to_owned(), problem.into());
}

/// Serves the document.
pub(crate) async fn show(State(app): State<App>) -> impl IntoResponse {
    let (_, document) = calls(app.settings.public_url.as_deref());
    (
        [(header::CONTENT_TYPE, "application/json")],
        document.to_json().unwrap_or_default(),
    )
}
