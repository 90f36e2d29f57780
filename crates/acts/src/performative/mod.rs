//! What kind of act an act is. One file per performative: its rule as data, and the text that
//! `tertulia explain` prints (SEMANTICS 1).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

mod accept_proposal;
mod agree;
mod cancel;
mod cfp;
mod failure;
mod inform;
mod no_comment;
mod propose;
mod query;
mod refuse;
mod reject_proposal;
mod request;
mod rule;

pub use rule::{Answer, GateColumn, OnCommitment, Opens, Rule, Sense, When, Who};

/// The kind of an act. It follows from the operation that was invoked, never from words
/// (DESIGN 3), and stands in the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Performative {
    /// Asks for something to be done.
    Request,
    /// Asks a question.
    Query,
    /// Tells something: a result, progress, an event.
    Inform,
    /// Takes a request on.
    Agree,
    /// Does not take it on.
    Refuse,
    /// Took it on and did not bring it to its end.
    Failure,
    /// Takes a request back.
    Cancel,
    /// Calls for proposals.
    Cfp,
    /// Offers to do what was called for, on terms.
    Propose,
    /// Takes an offer: delegates to the winner.
    AcceptProposal,
    /// Does not take an offer.
    RejectProposal,
    /// Passes over a turn in a room.
    NoComment,
}

impl Performative {
    /// Every performative, in the order of DESIGN 2.
    pub const ALL: &[Self] = &[
        Self::Request,
        Self::Query,
        Self::Inform,
        Self::Agree,
        Self::Refuse,
        Self::Failure,
        Self::Cancel,
        Self::Cfp,
        Self::Propose,
        Self::AcceptProposal,
        Self::RejectProposal,
        Self::NoComment,
    ];

    /// The name, as it stands in envelopes and on every protocol's extension metadata.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Query => "query",
            Self::Inform => "inform",
            Self::Agree => "agree",
            Self::Refuse => "refuse",
            Self::Failure => "failure",
            Self::Cancel => "cancel",
            Self::Cfp => "cfp",
            Self::Propose => "propose",
            Self::AcceptProposal => "accept-proposal",
            Self::RejectProposal => "reject-proposal",
            Self::NoComment => "no-comment",
        }
    }

    /// Its row of the table of acts.
    #[must_use]
    pub const fn rule(self) -> &'static Rule {
        match self {
            Self::Request => &request::RULE,
            Self::Query => &query::RULE,
            Self::Inform => &inform::RULE,
            Self::Agree => &agree::RULE,
            Self::Refuse => &refuse::RULE,
            Self::Failure => &failure::RULE,
            Self::Cancel => &cancel::RULE,
            Self::Cfp => &cfp::RULE,
            Self::Propose => &propose::RULE,
            Self::AcceptProposal => &accept_proposal::RULE,
            Self::RejectProposal => &reject_proposal::RULE,
            Self::NoComment => &no_comment::RULE,
        }
    }

    /// Whether it may open a task or an event.
    #[must_use]
    pub const fn opens(self) -> bool {
        !matches!(self.rule().opens, Opens::Never)
    }

    /// The gates that it passes (SEMANTICS 5): a query or an inform that answers passes those of
    /// an answer, one that opens those of its own row.
    #[must_use]
    pub const fn gate_column(self, opening: bool) -> GateColumn {
        match (self, opening) {
            (Self::Query | Self::Inform, false) => GateColumn::Answer,
            _ => self.rule().gates,
        }
    }

    /// Its manual page, in Markdown.
    #[must_use]
    pub fn manual(self) -> String {
        self.rule()
            .manual
            .lines()
            .fold(String::new(), |mut page, line| {
                // A doc comment keeps the space after its slashes.
                page.push_str(line.strip_prefix(' ').unwrap_or(line));
                page.push('\n');
                page
            })
    }
}

impl fmt::Display for Performative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Text that is no performative.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no performative: expected one of {names}", names = names())]
pub struct UnknownPerformative(String);

fn names() -> String {
    let names: Vec<&str> = Performative::ALL.iter().map(|act| act.name()).collect();
    names.join(", ")
}

impl FromStr for Performative {
    type Err = UnknownPerformative;
    fn from_str(text: &str) -> Result<Self, UnknownPerformative> {
        Self::ALL
            .iter()
            .copied()
            .find(|act| act.name() == text)
            // A hostile name is cut so that an error stays a line.
            .ok_or_else(|| UnknownPerformative(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_are_those_of_the_wire() {
        assert_eq!(Performative::ALL.len(), 12);
        for act in Performative::ALL {
            assert_eq!(act.to_string().parse::<Performative>().unwrap(), *act);
            assert_eq!(serde_json::to_value(act).unwrap(), act.name());
        }
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let error = "Request".parse::<Performative>().unwrap_err().to_string();
        assert!(error.starts_with("`Request` is no performative: expected one of request, query,"));
        assert!(error.ends_with("reject-proposal, no-comment"));
        assert!(
            "x".repeat(9_999)
                .parse::<Performative>()
                .unwrap_err()
                .to_string()
                .len()
                < 250
        );
    }

    #[test]
    fn each_has_its_own_rule_and_a_manual_page() {
        for act in Performative::ALL {
            assert_eq!(act.rule().performative, *act);
            let page = act.manual();
            assert!(page.starts_with(&format!("# {act}\n\n")), "{act}: {page}");
            assert!(
                page.lines()
                    .all(|line| !line.starts_with(' ') || line.starts_with("  "))
            );
        }
    }

    /// Who may open, as the second column of the table in SEMANTICS 1 says.
    #[test]
    fn only_request_query_inform_and_cfp_open() {
        for act in Performative::ALL {
            let expected = match act {
                Performative::Request | Performative::Query | Performative::Cfp => Opens::Task,
                Performative::Inform => Opens::Event,
                _ => Opens::Never,
            };
            assert_eq!(act.rule().opens, expected, "{act}");
            assert_eq!(act.opens(), expected != Opens::Never, "{act}");
        }
    }

    /// The rows of the table in SEMANTICS 5.
    #[test]
    fn gate_columns_are_those_of_the_table() {
        use GateColumn::{Answer, Delegation, Notice, Question};
        for act in Performative::ALL {
            let (opening, answering) = match act {
                Performative::Request | Performative::AcceptProposal => (Delegation, Delegation),
                Performative::Query => (Question, Answer),
                Performative::Cfp => (Question, Question),
                Performative::Inform => (Notice, Answer),
                Performative::NoComment => (Notice, Notice),
                _ => (Answer, Answer),
            };
            assert_eq!(act.gate_column(true), opening, "{act} that opens");
            assert_eq!(act.gate_column(false), answering, "{act} that answers");
        }
    }

    #[test]
    fn a_room_turn_is_one_of_seven() {
        let turns: Vec<&str> = Performative::ALL
            .iter()
            .filter(|act| act.rule().room_turn)
            .map(|act| act.name())
            .collect();
        let expected = [
            "request",
            "query",
            "inform",
            "agree",
            "refuse",
            "failure",
            "no-comment",
        ];
        assert_eq!(turns, expected);
    }

    #[test]
    fn commitments_move_as_semantics_5_says() {
        for act in Performative::ALL {
            let expected = match act {
                Performative::Request | Performative::Propose => OnCommitment::Makes,
                Performative::Agree | Performative::AcceptProposal => OnCommitment::Activates,
                Performative::Inform => OnCommitment::Satisfies,
                Performative::Refuse | Performative::Cancel | Performative::RejectProposal => {
                    OnCommitment::Releases
                }
                Performative::Failure => OnCommitment::Violates,
                Performative::Query | Performative::Cfp | Performative::NoComment => {
                    OnCommitment::Untouched
                }
            };
            assert_eq!(act.rule().commitment, expected, "{act}");
        }
    }

    #[test]
    fn who_may_say_it() {
        use Who::{
            AncestorDebtor, Anyone, Engine, Recipient, Requester, RoomMember, RootPrincipal,
        };
        for act in Performative::ALL {
            let expected: &[Who] = match act {
                Performative::Request | Performative::Cfp => &[Anyone],
                Performative::Query | Performative::Inform => &[Anyone, Recipient],
                Performative::Agree | Performative::Propose => &[Recipient],
                Performative::Refuse | Performative::Failure => &[Recipient, Engine],
                Performative::Cancel => &[Requester, AncestorDebtor, RootPrincipal],
                Performative::AcceptProposal | Performative::RejectProposal => &[Requester],
                Performative::NoComment => &[RoomMember],
            };
            assert_eq!(act.rule().said_by, expected, "{act}");
        }
    }
}
