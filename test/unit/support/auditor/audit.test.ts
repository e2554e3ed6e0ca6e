import { parse } from "yaml";
import type { LogEvent } from "../../../../src/model/event.ts";
import { audit } from "../../../support/auditor/audit.ts";
import type { LogRecord, ThingThere } from "../../../support/auditor/service-log.ts";
import {
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  rolesIntent,
  succeeded,
} from "../../../support/event-builders.ts";
import { emailOf } from "../../../support/roster-builders.ts";
import { testTextCases } from "../../../support/text-cases.ts";

const at = Date.parse(noon);

/**
 * What one step of `audit.txt` adds to both logs. A number before it is that of the request that arrives, is answered or has the effect;
 * what changes without one is somebody else's doing. `announce`, `did` and `event` are events of roster, of the action x and the run r1.
 */
function recordsOf(step: string): readonly LogRecord[] {
  const [, number, verb = "", rest = ""] = /^(?:(\d+) )?(\S+) ?(.*)$/u.exec(step) ?? [];
  const request = Number(number);
  const [first = "", ...others] = rest.split(" ");
  const arrived = (method: string, path: string, body?: unknown): LogRecord => {
    const asked = { is: "arrived", request, at, method, path: `/api/accounting/${path}` } as const;
    return body === undefined ? asked : { ...asked, body };
  };
  const more = () => parse(others.join(" ")) as object;
  switch (verb) {
    case "began":
      return [{ is: "command", at, log: "log", allowed: rest === "" ? [] : [rest] }];
    case "listed":
      return [arrived("GET", "users?page=1"), { is: "answered", request, at, answer: 200 }];
    case "request":
      return [arrived(first, others.join(" "))];
    case "create":
      return [
        arrived("POST", "accounts/acc-1/users", {
          email: emailOf(first),
          firstName: first,
          lastName: "Test",
          ...more(),
        }),
      ];
    case "add":
      return [
        arrived(
          "POST",
          "teams/t-1/members",
          rest.split(" ").map((name) => ({ identifier: `u-${name}` })),
        ),
      ];
    case "put":
      return [
        arrived(
          "PUT",
          `access-keys/k-${first}/roles`,
          others.map((identifier) => ({ identifier })),
        ),
      ];
    case "answered":
      return [{ is: "answered", request, at, answer: rest === "lost" ? rest : Number(rest) }];
    case "announce":
      return [{ is: "event", event: announced(rest) }];
    case "did":
      return [{ is: "event", event: succeeded("x", created(first, more())) }];
    case "event":
      return [{ is: "event", event: { at: noon, ...(parse(rest) as object) } as LogEvent }];
    default: {
      const changed = { is: "changed", at, now: thing(verb, first, others) } as const;
      return [number === undefined ? changed : { ...changed, request }];
    }
  }
}

/** Such as `create ada Science`, `add ada bo` and `put ada DEVELOPER`; `b:` before it is another action, `r2/b:` of another run. */
function announced(text: string): LogEvent {
  const [, run = "r1", action = "x", kind = "", name = "", rest = ""] =
    /^(?:(?:(\w+)\/)?(\w+): )?(\w+) (\S+) ?(.*)$/u.exec(text) ?? [];
  const others = rest === "" ? [] : rest.split(" ");
  if (kind === "create") return intended(run, action, creationIntent(name, ...others));
  if (kind === "add") return intended(run, action, additionIntent(name, ...others));
  return intended(run, action, rolesIntent(`k-${name}`, ...others));
}

/** Whoever has a key of a team is its member. */
function thing(is: string, name: string, others: readonly string[]): ThingThere {
  const words = others.filter((word) => word !== "gone");
  const gone = others.includes("gone") ? ({ gone: true } as const) : {};
  switch (is) {
    case "user":
      return { is: "user", identifier: words[0] ?? `u-${name}`, email: emailOf(name), account: "acc-1", ...gone };
    case "team":
      return { is: "team", identifier: words[0] ?? "t-1", name: name.replace("_", " "), account: "acc-1", ...gone };
    case "mail":
      return { is: "mail", user: `u-${name}`, team: "t-1" };
    case "key":
      return { is: "key", prefix: `k-${name}`, user: `u-${name}`, roles: words, ...gone };
    case "member":
      return { is: "key", prefix: `k-${name}`, user: `u-${name}`, team: "t-1", roles: words, ...gone };
    default:
      throw new Error(`nothing is called ${is}`);
  }
}

testTextCases(new URL("./audit.txt", import.meta.url), (_, [steps = ""]) => {
  const breaches = audit(steps.split("; ").flatMap(recordsOf));
  return breaches.length === 0
    ? "they agree"
    : breaches.map(({ position, rule, says }) => `${position} ${rule}: ${says}`);
});
