import { expect, test } from "vitest";
import { messageLines, partsOf, planLines, play } from "../../../support/scenes.ts";

play("allowed-email-domains:", (parts) => [...planLines(parts), ...messageLines(parts).slice(0, 1)])`
  there: {root: {in: {Red}}, guest@other.example: {firstName: Guest@other.example}}
  users: {root, guest@other.example}
  guards: {allowedEmailDomains: [acme.example, xn--mller-kva.example]}
nobody of a domain that is not allowed is created or added, and everybody else is
  users: {bo, cy@acme.exampel}
  teams: {Red: {members: [root, bo, cy@acme.exampel, guest@other.example]}}
  > create bo
  > add bo to Red after create-user:bo
  > ! allowed-email-domains: user cy@acme.exampel
  > ! allowed-email-domains: user guest@other.example
  > ! allowed-email-domains: cy@acme.exampel is not created and not added to teams: the settings do not allow the domain
    acme.exampel. They allow acme.example and xn--mller-kva.example. Correct the address, or add its domain to
    \`guards.allowed-email-domains\` in the settings (in CI, outside the checkout). To allow it, run \`--allow
    allowed-email-domains:cy@acme.exampel\`.
nobody is held who is there and asks for no invitation
where no domains are set, every domain is allowed
  users: {bo@other.example}
  guards: gone
  > create bo@other.example
`;

test.each([
  ["bo@ACME.example", "passes"],
  ["bo@müller.example", "passes"],
  ["bo@xn--mller-kva.example", "passes"],
  ["bo@sub.acme.example", "is held"],
  ["bo@notacme.example", "is held"],
  ["bo@muller.example", "is held"],
])("%s %s", (email, comesTo) => {
  const guards = "guards: {allowedEmailDomains: [acme.example, xn--mller-kva.example]}";
  const [line = "", ...more] = planLines(partsOf(guards, `users: {"${email}"}`));
  expect([line.split(" ")[0], more]).toEqual([comesTo === "passes" ? "create" : "!", []]);
});
