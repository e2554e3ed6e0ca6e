import type { EventOf, LearnedOutcome, LogEvent } from "../../../src/model/event.ts";
import { type Announced, announcements } from "./announcements.ts";
import { callOf } from "./calls.ts";
import { doneObjection, effectsOf, missingEffect, seenObjections, type ToldCall } from "./claims.ts";
import { doublingOf } from "./doubles.ts";
import type { Breach, CommandBegan, LogRecord, RequestAnswered } from "./records.ts";
import { type LoggedRequest, readServiceLog, type Span } from "./service-log.ts";
import { teamNames } from "./team-names.ts";

/**
 * Whether each call that arrived is explained by an event before it, nobody is created or mailed twice, no team is made twice, and
 * every event is true. It knows the interface of the service and the two logs, and nothing of how either came about.
 */
export function audit(records: readonly LogRecord[]): readonly Breach[] {
  const log = readServiceLog(records);
  const announced = announcements(log);
  const teams = teamNames();
  const breaches: Breach[] = [];
  let command: CommandBegan = { is: "command", at: 0, log: "", allowed: [] };
  /** Where the oldest read of the command showed the service, and the oldest since its last write. */
  let readFrom: number | undefined;
  let verifiedFrom: number | undefined;
  let run = "";
  let done: { readonly call: ToldCall; readonly learned: LearnedOutcome }[] = [];

  const isAllowed = (address: string) => command.allowed.some((code) => code.toLowerCase().includes(address));

  function arrived(request: LoggedRequest): void {
    if (callOf(request).is === "read") return;
    verifiedFrom = undefined;
    const says = announced.explain(request);
    if (says !== undefined) breaches.push({ position: request.position, rule: "unexplained-call", says });
  }

  function answered({ request: number, answer, asOf }: RequestAnswered): void {
    const request = log.requests.get(number);
    if (request === undefined || answer === "lost" || callOf(request).is !== "read") return;
    const place = Math.min(request.position, asOf === undefined ? request.position : log.placeOf(asOf));
    readFrom = Math.min(readFrom ?? place, place);
    verifiedFrom = Math.min(verifiedFrom ?? place, place);
  }

  function judge(event: LogEvent, position: number): void {
    const span = { from: Math.min(readFrom ?? position, position), to: position };
    const name = "action" in event ? `${event.type} ${event.action}` : event.type;
    const objections = [...outcomeObjections(event, span), ...seenObjections(log, event, span, teams)];
    for (const says of objections) breaches.push({ position, rule: "untrue-event", says: `${name}: ${says}` });
  }

  /** What is untrue of an event that tells how calls went. */
  function outcomeObjections(event: LogEvent, span: Span): readonly string[] {
    switch (event.type) {
      case "intended":
        announce(event, span.to);
        return [];
      case "succeeded":
        return doneAs(announced.end(event.action)?.call, event.learned, span);
      case "resolved":
        return resolvedAs(event, span);
      case "failed":
      case "stale":
      case "skipped":
      case "unneeded":
        return ended(event.action);
      case "member-refused":
        return ended(event.action, [event.address]);
      case "declined":
        return announced.decline(event.action) === "answered" ? [] : ["no answer came"];
      case "unknown-outcome":
        announced.doubt(event.action);
        return [];
      case "run-started":
        [run, done] = [event.run, []];
        return [];
      case "verified":
        return event.result === "converged" ? done.flatMap(({ call, learned }) => unshown(call, learned, span)) : [];
      case "run-finished":
        for (const { action } of announced.untold(run)) {
          breaches.push({ position: span.to, rule: "silent-end", says: `${action}: nothing says what became of it` });
        }
        return [];
      default:
        return [];
    }
  }

  function announce(event: EventOf<"intended">, position: number): void {
    const says = announced.announce(event, isAllowed);
    if (says !== undefined) breaches.push({ position, rule: "sent-again", says: `${event.action}: ${says}` });
    teams.learn(event.intent);
  }

  function doneAs(call: Announced | undefined, learned: LearnedOutcome, span: Span): readonly string[] {
    if (call === undefined) return ["it was not announced"];
    done.push({ call, learned });
    if (learned.kind === "create-user" && learned.team !== undefined)
      teams.learn({ team: learned.team, identifier: learned.teamIdentifier });
    const says = doneObjection(log, call, learned, span);
    return says === undefined ? [] : [says];
  }

  function ended(action: string, people?: readonly string[]): readonly string[] {
    const end = announced.end(action);
    return end?.wasOpen === true ? undone(end.call, people) : [];
  }

  function undone(call: Announced | undefined, people?: readonly string[]): readonly string[] {
    return call !== undefined && effectsOf(log, call, people).length > 0 ? ["the call had an effect"] : [];
  }

  function resolvedAs({ run: of, action, as, except = [] }: EventOf<"resolved">, span: Span): readonly string[] {
    const call = announced.settle(of, action, except);
    if (as.done) return doneAs(call, as.learned, span);
    if (as.unproven === true || isTakenBack(records, of, action, span.to)) return [];
    const people = call?.intent.kind === "add-members" ? call.intent.addresses : undefined;
    return undone(
      call,
      people?.filter((one) => !except.includes(one)),
    );
  }

  function unshown(call: ToldCall, learned: LearnedOutcome, { to }: Span): readonly string[] {
    const says = missingEffect(log, call, learned, { from: verifiedFrom ?? to, to });
    return says === undefined ? [] : [says];
  }

  for (const [position, record] of records.entries()) {
    switch (record.is) {
      case "command":
        command = record;
        [readFrom, verifiedFrom, done] = [undefined, undefined, []];
        announced.begin(record);
        break;
      case "event":
        judge(record.event, position);
        break;
      case "arrived": {
        const request = log.requests.get(record.request);
        if (request !== undefined) arrived(request);
        break;
      }
      case "changed": {
        const doubling = doublingOf(log, record, position, isAllowed);
        if (doubling !== undefined) breaches.push({ position, ...doubling });
        break;
      }
      case "answered":
        answered(record);
        break;
    }
  }
  return breaches;
}

/** What reads did not show counts as not done, until a later read shows it: then the log says so itself. */
function isTakenBack(records: readonly LogRecord[], run: string, action: string, position: number): boolean {
  return records.slice(position + 1).some((record) => {
    const event = record.is === "event" ? record.event : undefined;
    return event?.type === "resolved" && event.run === run && event.action === action && event.as.done;
  });
}
