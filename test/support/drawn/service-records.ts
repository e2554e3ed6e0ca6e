import type { LogRecord, ThingThere } from "../auditor/records.ts";
import { answering, type DrawnService } from "./drawn-service.ts";

/** The same service; what it is and what comes to it is noted for the auditor. `lag`: milliseconds by which reads may show what was before. */
export function noting(
  service: DrawnService,
  { now, lag, note }: { readonly now: () => number; readonly lag: number; note(record: LogRecord): void },
): DrawnService {
  let there = contentsOf(service);
  let requests = 0;
  for (const thing of there.values()) note({ is: "changed", at: now(), now: thing });

  function noteChanges(request: number, replaced: string | undefined): void {
    const contents = contentsOf(service);
    for (const [name, thing] of contents) {
      const isTouched = name === replaced || JSON.stringify(there.get(name)) !== JSON.stringify(thing);
      if (isTouched) note({ is: "changed", request, at: now(), now: thing });
    }
    there = contents;
  }

  return answering(service, (asked) => {
    requests += 1;
    const { method, path, body } = asked;
    const request = requests;
    note({
      is: "arrived",
      request,
      at: now(),
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.parse(body) }),
    });
    const writes = service.writes.length;
    const outcome = service.answer(asked);
    const write = service.writes[writes];
    // A key that gets the roles that it has is replaced as well.
    if (write !== undefined) noteChanges(request, write.tookEffect ? `key ${replacedBy(method, path)}` : undefined);
    const answer = outcome.is === "lost" ? "lost" : outcome.status;
    note({ is: "answered", request, at: now(), answer, asOf: now() - lag });
    return outcome;
  });
}

function replacedBy(method: string, path: string): string {
  const [, prefix = ""] = (method === "PUT" && /\/access-keys\/([^/]+)\/roles$/u.exec(path)) || [];
  return decodeURIComponent(prefix);
}

/** Everything that a service has, by a name that nothing else has. A mail is what it is: one more is another thing. */
function contentsOf({ people, teams, mails }: DrawnService): ReadonlyMap<string, ThingThere> {
  const things = new Map<string, ThingThere>();
  for (const { identifier, email, account, keys } of people) {
    things.set(`user ${identifier}`, { is: "user", identifier, email, account });
    for (const { prefix, team, roles } of keys) {
      const of = team === undefined ? {} : { team };
      things.set(`key ${prefix}`, { is: "key", prefix, user: identifier, ...of, roles: [...roles] });
    }
  }
  for (const { identifier, name, account } of teams) {
    things.set(`team ${identifier}`, { is: "team", identifier, name, account });
  }
  for (const [number, { email, team }] of mails.entries()) {
    const user = people.find((one) => one.email === email)?.identifier ?? email;
    things.set(`mail ${number}`, { is: "mail", user, team });
  }
  return things;
}
