import { observed } from "../../../../src/model/fact.ts";
import { type Parts, planLines, play, wholeFindings } from "../../../support/scenes.ts";

/** A service that says of what type each role is. */
function typed(typeOf: (role: string) => string | undefined) {
  return (parts: Parts): Parts => {
    const { roles } = parts.snapshot;
    const offered = roles.known === "observed" ? roles.value : [];
    const told = offered.map(({ identifier }) => ({ identifier, type: typeOf(identifier) }));
    return { ...parts, snapshot: { ...parts.snapshot, roles: observed(told, "roles") } };
  };
}

const asItIs = typed((role) => (role === "SYSTEM_OWNER" ? "System" : "user"));

play("a role that does not fit a key", (parts) => planLines(asItIs(parts)))`
  offers: [DEVELOPER, TEAM_ROLE, PROJECT, SYSTEM_OWNER]
  there: {ada: {in: {Data}}}
  users: {ada}
  teams: {Data: {members: [ada]}}
is one of the type system on a team key, and not on others
  users: {ada: {ownKeyRoles: [SYSTEM_OWNER]}}
  teams: {Data: {roles: [SYSTEM_OWNER]}}
  > set k-ada (observed) to SYSTEM_OWNER
  > ! unknown-role: role SYSTEM_OWNER
is none of the type system where a team key is shown with it
  there: {ada: {in: {Data: [SYSTEM_OWNER]}}}
  teams: {Data: {roles: [DEVELOPER, SYSTEM_OWNER]}}
  > set k-ada-data (observed) to DEVELOPER+SYSTEM_OWNER
`;

for (const [where, type] of [
  ["every role has the type", "system"],
  ["the service tells no types", undefined],
] as const)
  play(`a role is none of the type system where ${where}:`, (parts) => planLines(typed(() => type)(parts)))`
  offers: [DEVELOPER, TEAM_ROLE, SYSTEM_OWNER]
  there: {ada: {in: {Data}}}
  users: {ada}
it is given to a team key
  teams: {Data: {members: [ada], roles: [DEVELOPER, SYSTEM_OWNER]}}
  > set k-ada-data (observed) to DEVELOPER+SYSTEM_OWNER
`;

play("a role that does not fit a key", (parts) => [...planLines(asItIs(parts)), ...wholeFindings(asItIs(parts))])`
  offers: [DEVELOPER, TEAM_ROLE, PROJECT]
  there: {ada: {in: {Data}, keys: {k-1: {}}}}
is told once, with every place, and only what uses it is withheld
  users: {ada: {ownKeyRoles: [PROJECT], line: 2}}
  teams: {Data: {members: [ada], roles: [DEVELOPER, PROJECT], line: 5}}
  keys: {k-1: {roles: [PROJECT], line: 9}}
  > set k-1 (observed) to PROJECT
  > ! unknown-role: role PROJECT
  > task unknown-role: role PROJECT
  > The service does not offer the role PROJECT for a user's own key and a team key, but roster.yaml:2:3 has it there.
    roster does not change these keys. Remove the role there, or list a key of the right kind under \`keys\`.
  > because own-key-roles at 2
  > because user at 2
  > because member ada at 5
  > rests on role PROJECT: observed, not for a user's own key and a team key, roles
  > accept {"code":"unknown-role:role%20PROJECT","until":"2026-12-20"}
`;
