import type { InSyncItem } from "../../model/plan.ts";
import { actionPart, basisPart, findingPart, type JsonPart, placePart, reasonPart } from "../plan-json.ts";
import type { ExplainedTarget, Explanation, Statement } from "./explanation.ts";

/** The same, under the published names. */
export function explanationPart(explanation: Explanation): JsonPart {
  if (explanation.of === "codes") {
    const codes = explanation.codes.map(({ code, kind, about, title, means, next, exitCodes }) => {
      return { code, kind, about, title, means, next, exit_codes: exitCodes };
    });
    return { codes, things: [] };
  }
  return { codes: [], things: explanation.things.map(targetPart) };
}

function targetPart(thing: ExplainedTarget): JsonPart {
  const { is, name, from, plan, readings } = thing;
  return {
    is,
    name,
    from: from === "the service" ? "service" : "saved-plan",
    plan_id: plan.id,
    refused: thing.refused,
    roster: thing.roster.map(statementPart),
    service: thing.service.map(statementPart),
    state: thing.state.map(statementPart),
    actions: thing.actions.map(({ action, neededBy }) => ({ ...actionPart(action), needed_by: neededBy })),
    findings: thing.findings.map(findingPart),
    settled: thing.settled.map(agreementPart),
    unasked: thing.unasked.map(statementPart),
    reads: readsPart(readings),
  };
}

/** When each read began, and what it asked. */
export function readsPart(readings: ExplainedTarget["readings"]): readonly JsonPart[] {
  return [...readings].map(([read, { at, request }]) => ({ read, at, request }));
}

function statementPart({ says, place, because, by, at }: Statement): JsonPart {
  return { says, place: place && placePart(place), because: because?.map(reasonPart), by, at };
}

function agreementPart({ says, basis, because }: InSyncItem): JsonPart {
  return { says, because: because.map(reasonPart), rests_on: basis === undefined ? [] : [basisPart(basis)] };
}
