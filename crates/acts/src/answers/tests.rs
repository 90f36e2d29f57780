//! The table of SEMANTICS 1, spelled out again and held against the rules.

use super::*;
use crate::performative::Performative as P;
use Answering as A;

/// One row: the act, what answers it until it is agreed to, and what does afterwards.
type Row = (P, &'static [A], &'static [A]);

const QUERY: &[A] = &[A::Clarify, A::Result, A::Refuse, A::Failure];

const TABLE: &[Row] = &[
    (
        P::Request,
        &[A::Agree, A::Clarify, A::Progress, A::Result, A::Refuse],
        &[A::Clarify, A::Progress, A::Result, A::Failure],
    ),
    (P::Query, QUERY, QUERY),
    (P::Cfp, &[A::Propose, A::Refuse], &[A::Propose, A::Refuse]),
    (
        P::Propose,
        &[A::AcceptProposal, A::RejectProposal],
        &[A::AcceptProposal, A::RejectProposal],
    ),
    (
        P::AcceptProposal,
        &[A::Clarify, A::Progress, A::Result, A::Failure],
        &[A::Clarify, A::Progress, A::Result, A::Failure],
    ),
    (P::RejectProposal, &[], &[]),
    (P::NoComment, &[], &[]),
    (P::Inform, &[A::Acknowledge], &[A::Acknowledge]),
    (P::Agree, &[], &[]),
    (
        P::Cancel,
        &[A::Report, A::Failure],
        &[A::Report, A::Failure],
    ),
    (P::Refuse, &[], &[]),
    (P::Failure, &[], &[]),
];

#[test]
fn every_pair_in_the_table_is_legal_and_every_other_is_an_illegal_act() {
    assert_eq!(TABLE.len(), P::ALL.len());
    for (opening, until_agreed, once_agreed) in TABLE {
        for (agreed, row) in [(false, until_agreed), (true, once_agreed)] {
            for answering in A::ALL {
                let verdict = check(*opening, agreed, *answering);
                if row.contains(answering) {
                    assert_eq!(
                        verdict,
                        Ok(()),
                        "{answering:?} to {opening}, agreed: {agreed}"
                    );
                } else {
                    let refusal = verdict.expect_err("a pair outside the table is refused");
                    assert_eq!(
                        refusal.reason,
                        Reason::IllegalAct,
                        "{answering:?} to {opening}"
                    );
                    assert_eq!(refusal.detail["legal"].as_array().unwrap().len(), row.len());
                }
            }
        }
    }
}

#[test]
fn nothing_answers_a_task_that_has_ended() {
    for opening in P::ALL {
        for agreed in [false, true] {
            let standing = Standing {
                agreed,
                ended: true,
                consulted: false,
            };
            assert_eq!(legal_answers(*opening, standing), [], "{opening}");
        }
    }
}

#[test]
fn a_consultation_is_answered_as_a_query_whatever_was_sent() {
    for opening in P::ALL {
        let standing = Standing {
            consulted: true,
            ..Standing::default()
        };
        assert_eq!(legal_answers(*opening, standing), QUERY, "{opening}");
    }
}

#[test]
fn every_answer_of_a_rule_can_be_made() {
    for opening in P::ALL {
        for answer in opening.rule().answers {
            let made = A::ALL
                .iter()
                .filter(|way| way.act() == Some((answer.performative, answer.sense)))
                .count();
            assert_eq!(made, 1, "{answer:?} to {opening}");
        }
    }
}

#[test]
fn the_sentence_says_what_would_be_legal() {
    let sentence = |opening, agreed, answering| match check(opening, agreed, answering) {
        Err(refusal) => refusal.message,
        Ok(()) => "legal".into(),
    };
    assert_eq!(
        sentence(P::Request, true, A::Refuse),
        "`decline` does not answer a request that was agreed to; \
         legal now: `ask`, `progress`, `reply`, `fail`"
    );
    assert_eq!(
        sentence(P::Request, false, A::Failure),
        "`fail` does not answer a request that was not agreed to yet; \
         legal now: `agree`, `ask`, `progress`, `reply`, `decline`"
    );
    assert_eq!(
        sentence(P::Query, false, A::Agree),
        "`agree` does not answer a query; legal now: `ask`, `reply`, `decline`, `fail`"
    );
    assert_eq!(
        sentence(P::Inform, false, A::Result),
        "`reply` does not answer an inform; legal now: `acknowledge`"
    );
    assert_eq!(
        sentence(P::Refuse, false, A::Abstain),
        "`abstain` does not answer a refuse: nothing does"
    );
    let ended = IllegalAnswer {
        opening: P::Request,
        standing: Standing {
            ended: true,
            ..Standing::default()
        },
        answering: A::Result,
    };
    assert_eq!(
        ended.to_string(),
        "`reply` does not answer a request whose task has ended: nothing does"
    );
}

#[test]
fn a_refusal_carries_what_programs_need() {
    let refusal = check(P::Inform, false, A::Refuse).unwrap_err();
    assert_eq!(refusal.detail["answers"], "inform");
    assert_eq!(refusal.detail["tried"], "refuse");
    assert_eq!(refusal.detail["legal"], serde_json::json!(["acknowledge"]));
}

#[test]
fn an_operation_answers_by_its_own_name_and_by_one_act() {
    let answers: Vec<(&str, Option<P>)> = Operation::ALL
        .iter()
        .filter_map(|operation| {
            let answering = operation.answering()?;
            assert_eq!(answering.word(), operation.name());
            let act = answering.act().map(|(performative, _)| performative);
            Some((operation.name(), act))
        })
        .collect();
    assert_eq!(
        answers,
        [
            ("agree", Some(P::Agree)),
            ("progress", Some(P::Inform)),
            ("ask", Some(P::Query)),
            ("reply", Some(P::Inform)),
            ("decline", Some(P::Refuse)),
            ("fail", Some(P::Failure)),
            ("acknowledge", None),
            ("abstain", Some(P::NoComment)),
        ]
    );
}

#[test]
fn a_consultation_opens_nothing_and_stores_nothing() {
    let allowed: Vec<&str> = Operation::ALL
        .iter()
        .filter(|operation| operation.in_consultation())
        .map(|operation| operation.name())
        .collect();
    assert_eq!(
        allowed,
        ["ask", "park", "release", "reply", "decline", "fail"]
    );
}

/// What the engine writes `agree` before is legal afterwards, and was not agreed to before.
#[test]
fn agreeing_first_makes_the_operation_legal() {
    for operation in Operation::ALL {
        assert!(!operation.agrees_first(P::Request, true), "{operation}");
        for opening in P::ALL {
            if operation.agrees_first(*opening, false) {
                assert_eq!(*opening, P::Request);
                check(*opening, false, A::Agree).unwrap();
                if let Some(answering) = operation.answering() {
                    check(*opening, true, answering).unwrap();
                }
            }
        }
    }
    assert!(Operation::Delegate.agrees_first(P::Request, false));
    assert!(!Operation::Delegate.agrees_first(P::Query, false));
    assert!(!Operation::Reply.agrees_first(P::Request, false));
}
