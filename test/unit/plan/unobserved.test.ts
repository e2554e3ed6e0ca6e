import { actionLines, play, wholeFindings } from "../../support/scenes.ts";

/** ada, bo and cy are members of Data: ada by record, with roles that we put; bo by record alone; cy by the roster. */
play("what is taken as recorded", (parts) => [...actionLines(parts), ...wholeFindings(parts)])`
  there: {ada: {in: {Data: [DEVELOPER]}}, bo: {in: {Data: [DEVELOPER]}}, cy: {in: {Data: [DEVELOPER]}}}
  users: {ada, bo, cy}
  teams:
    Data:
      identifier: t-data
      members: [{user: ada, roles: [DEVELOPER]}, bo, {user: cy, roles: [AUDITOR], key: k-cy-data}]
      line: 4
  state: {members: {Data/ada: {prefix: k-ada-data}, Data/bo: {}}, keys: {k-ada-data: [DEVELOPER]}}
is told once, with every fact, and an action tells the record or the roster that it rests on
  hides: [keys]
  > replace-roles:k-cy-data (roles-unknown)
  > because member cy at 4
  > rests on roles of key k-cy-data: unknown, no read shows this key, only the roster names it
  > rests on prefix of a key of cy: declared, k-cy-data, roster.yaml:4
  > notice not-observed: service https://simulated.example
  > The service does not show everything: 3 memberships and the roles of 2 keys are taken from the state (the oldest at
    2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift there.
  > because team Data at 4
  > because member ada at 4
  > because member cy at 4
  > rests on member ada of team acc-1/data: recorded, by key k-ada-data, 2026-11-01T00:00:00.000Z
  > rests on member bo of team acc-1/data: recorded, added, 2026-11-01T00:00:00.000Z
  > rests on member cy of team acc-1/data: declared, by key k-cy-data, roster.yaml:4
  > rests on roles of key k-ada-data: recorded, DEVELOPER, 2026-11-01T00:00:00.000Z
  > rests on roles of key k-cy-data: unknown, no read shows this key, only the roster names it
is only what is not shown
  hides: [roles]
  > replace-roles:k-cy-data (roles-unknown)
  > because member cy at 4
  > rests on roles of key k-cy-data: unknown, the service does not show the roles of this key
  > notice not-observed: service https://simulated.example
  > The service does not show everything: the roles of 2 keys are taken from the state (the oldest at
    2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift there.
  > because member ada at 4
  > because member cy at 4
  > rests on roles of key k-ada-data: recorded, DEVELOPER, 2026-11-01T00:00:00.000Z
  > rests on roles of key k-cy-data: unknown, the service does not show the roles of this key
is nothing where all is read
  > replace-roles:k-cy-data (roles-differ)
  > because member cy at 4
  > rests on roles of key k-cy-data: observed, DEVELOPER, list
`;
