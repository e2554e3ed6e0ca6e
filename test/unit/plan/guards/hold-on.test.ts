import { play, wholeFindings } from "../../../support/scenes.ts";

/** Of each finding its subject and facts, and whether its message speaks of the default. Guest is there, and in no team. */
play("what a guard holds rests", (parts) =>
  wholeFindings(parts).flatMap((line) => {
    if (line.includes("holds this change by default")) return ["by default"];
    return /^(?:task|rests on) /u.test(line) ? [line] : [];
  }),
)`
  there: {root: {in: {Red}}, bo: {in: {Red: [DEVELOPER]}}, guest@other.example: {firstName: Guest@other.example}}
  users: {root, bo, guest@other.example, cy@third.example}
  teams: {Red: {members: [root, {user: bo, roles: [ACCOUNT_ADMIN]}, guest@other.example, cy@third.example]}}
on the domains' line in the settings and on what is known of the person, and of nobody else
  guards:
    allowedEmailDomains: [acme.example]
    setAt: {guards.allowed-email-domains: {file: roster.config.yaml, line: 3, column: 5}}
  > task allowed-email-domains: user cy@third.example
  > rests on setting guards.allowed-email-domains: declared, acme.example, roster.config.yaml:3
  > rests on user cy@third.example: observed, absent, list
  > rests on member cy@third.example of team acc-1/red: unknown, this plan creates the team or the user
  > task allowed-email-domains: user guest@other.example
  > rests on setting guards.allowed-email-domains: declared, acme.example, roster.config.yaml:3
  > rests on member guest@other.example of team acc-1/red: observed, no member, list
on the privileged roles' line and on what the key has
  guards:
    privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}
    setAt: {guards.privileged-roles: {file: roster.config.yaml, line: 3, column: 5}}
  > task privileged-roles: user bo
  > rests on setting guards.privileged-roles: declared, ACCOUNT_ADMIN, roster.config.yaml:3
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
on the default, in words, where no line says so
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
  > task privileged-roles: user bo
  > by default
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
on the line of protect and on what is known of whom it protects
  guards:
    protect: {users: [bo@acme.example, cy@third.example], keys: []}
    setAt: {protect: {file: roster.config.yaml, line: 3, column: 5}}
  > task protected: user bo
  > rests on setting protect: declared, bo, roster.config.yaml:3
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
  > task protected: user cy@third.example
  > rests on setting protect: declared, cy@third.example, roster.config.yaml:3
  > rests on user cy@third.example: observed, absent, list
  > rests on member cy@third.example of team acc-1/red: unknown, this plan creates the team or the user
`;
