import fc from "fast-check";
import { foldAddress } from "../../src/model/address.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { RecordedAccess, RecordedKey } from "../../src/model/key.ts";
import { membershipKeyOf, type RecordedMembership } from "../../src/model/membership.ts";
import type { RecordedRefusal } from "../../src/model/recorded.ts";
import { roleSet } from "../../src/model/role-set.ts";
import type { State } from "../../src/model/state.ts";
import { type RecordedTeam, teamKeyOf } from "../../src/model/team.ts";
import type { RecordedUser } from "../../src/model/user.ts";
import { codePoint } from "./code-point.ts";
import { creationIntent, noon, openIntent, rolesIntent } from "./event-builders.ts";

/** Texts with everything that has ever broken a format: names of properties, line ends, quotes, halves of pairs. */
const nasty = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8, unit: codePoint }),
  fc.constantFrom("__proto__", "constructor", "toString", "\u2028", "\n", '"', "\\", "\ud800", "}\n{", "İ"),
);
const email = fc
  .tuple(nasty, fc.constantFrom("acme.example", "BÜCHER.example"))
  .map(([local, host]) => `x${local}@${host}`);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const roles = fc.array(nasty, { maxLength: 3 }).map(roleSet);

/** Leaves out what is undefined, as every record does. */
function record<T extends object>(parts: T): T {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as T;
}

const user = fc
  .record({ email, account: nasty, identifier: optional(nasty), key: optional(nasty), createdTeam: optional(nasty) })
  .map(({ createdTeam, ...rest }): RecordedUser => {
    const team = createdTeam === undefined ? undefined : teamKeyOf("acc-1", createdTeam);
    const profile = { sent: { firstName: rest.email }, answered: { title: "" } };
    return record({
      ...rest,
      address: foldAddress(rest.email),
      createdAt: noon,
      createdTeam: team,
      profile,
    }) as RecordedUser;
  });
const team = fc
  .record({ name: nasty, account: nasty, identifier: optional(nasty) })
  .map((parts) => record({ ...parts, team: teamKeyOf(parts.account, parts.name), at: noon }) as RecordedTeam);
const membership = fc
  .record({
    name: nasty,
    email,
    how: fc.constantFrom("created", "added", "seen"),
    prefix: optional(nasty),
    seenAt: optional(fc.constant(noon)),
  })
  .map(
    ({ name, email: written, ...parts }) =>
      record({
        ...parts,
        team: teamKeyOf("acc-1", name),
        address: foldAddress(written),
        at: noon,
      }) as RecordedMembership,
  );
const key = fc
  .record({ prefix: nasty, setRoles: roles, observedRoles: optional(roles) })
  .map((parts) => record({ ...parts, at: noon }) as RecordedKey);
const access = fc
  .record({
    prefix: nasty,
    email: optional(email),
    name: optional(nasty),
    roles: optional(roles),
    run: optional(nasty),
  })
  .map(
    ({ prefix, email: written, name, roles: given, run }) =>
      record({
        prefix,
        address: written === undefined ? undefined : foldAddress(written),
        team: name === undefined ? undefined : { team: teamKeyOf("acc-1", name), name },
        roles: given?.map((role) => (run === undefined ? { role } : { role, at: noon, run })),
      }) as RecordedAccess,
  );
const open = fc.tuple(nasty, fc.boolean()).map(([name, accepted]) => ({
  ...openIntent("r1", name, creationIntent(name, name)),
  ...(accepted ? { accepted: true as const } : {}),
}));

const refusal = fc
  .record({
    request: nasty,
    subject: nasty,
    address: optional(email.map(foldAddress)),
    asked: nasty,
    message: nasty,
    serviceSays: optional(nasty),
  })
  .map(({ request, subject, address, asked, message, serviceSays }): RecordedRefusal => {
    const failure = record({ code: "refused", message, status: 400, serviceSays });
    return record({ request, subject, address, asked, at: noon, failure }) as RecordedRefusal;
  });

export const arbitraryState: fc.Arbitrary<State> = fc
  .record({
    lineage: nasty,
    serial: fc.nat().map((serial) => serial + 1),
    service: optional(nasty),
    sequence: optional(fc.maxSafeNat()),
    queues: optional(fc.constant({ at: noon })),
    moved: optional(nasty.map((to) => ({ to, at: noon }))),
    users: fc.array(user),
    teams: fc.array(team),
    memberships: fc.array(membership),
    keys: fc.array(key),
    access: fc.array(access),
    runs: fc.array(fc.record({ run: nasty, commit: optional(nasty) }).map(record)),
    former: optional(fc.record({ before: fc.constant(noon), users: fc.array(nasty) })),
    seenKeys: optional(
      fc
        .array(fc.record({ prefix: nasty, email, roles }), { minLength: 1 })
        .map(
          (all) =>
            new Map(
              all.map(({ prefix, email: of, roles: shown }) => [
                prefix,
                { prefix, address: foldAddress(of), roles: shown, at: noon },
              ]),
            ),
        ),
    ),
    open: fc.array(open),
    presumedUndone: optional(fc.array(open, { minLength: 1 })),
    refusals: fc.array(refusal),
    applied: optional(
      fc.record({ digest: nasty, people: fc.array(email) }).map(({ digest, people }) => ({
        at: noon,
        digest,
        people: new Map(people.map((written) => [foldAddress(written), { email: written }])),
      })),
    ),
    openFindings: optional(
      fc
        .array(fc.record({ fingerprint: nasty, code: nasty, subject: nasty }), { minLength: 1 })
        .map((all) => new Map(all.map(({ fingerprint, ...one }) => [fingerprint, { since: noon, ...one }]))),
    ),
    planFiles: optional(fc.array(nasty, { minLength: 1 }).map((ids) => new Map(ids.map((id) => [id, { at: noon }])))),
  })
  .map(
    ({ users, teams, memberships, keys, access: given, runs, refusals, ...rest }) =>
      record({
        ...rest,
        users: new Map(users.map((one) => [one.address, one])),
        teams: new Map(teams.map((one) => [one.team, one])),
        memberships: new Map(memberships.map((one) => [membershipKeyOf(one.team, one.address), one])),
        keys: new Map(keys.map((one) => [one.prefix, one])),
        access: new Map(given.map((one) => [one.prefix, one])),
        runs: new Map(runs.map((one) => [one.run, one])),
        refusals: new Map(refusals.map((one) => [one.request, one])),
      }) as State,
  );

export const arbitraryEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({ action: nasty, why: nasty }).map((parts): RunEvent => ({ type: "stale", at: noon, ...parts })),
  fc.record({ prefix: nasty, roles }).map((parts): RunEvent => ({ type: "key-read", at: noon, ...parts })),
  fc.record({ action: nasty, message: nasty }).map(
    ({ action, message }): RunEvent => ({
      type: "declined",
      at: noon,
      action,
      failure: { code: "conflict", message },
    }),
  ),
  fc.record({ digest: nasty, written: email }).map(({ digest, written }): RunEvent => {
    return { type: "roster-applied", at: noon, digest, people: [{ address: foldAddress(written), email: written }] };
  }),
  fc.record({ from: email, to: email, name: nasty }).map(({ from, to, name }): RunEvent => {
    const people = [{ from: foldAddress(from), to: foldAddress(to), email: to }];
    const teams = [{ from: teamKeyOf("acc-1", name), to: teamKeyOf("acc-1", `${name}s`), name }];
    return { type: "records-moved", at: noon, people, teams };
  }),
  fc.record({ fingerprint: nasty, code: nasty, subject: nasty }).map((one): RunEvent => {
    return { type: "findings-seen", at: noon, service: "https://s.example", seen: [one], gone: [one.subject] };
  }),
  fc
    .record({ written: email, name: nasty, prefix: nasty, roles })
    .map(({ written, name, prefix, roles: shown }): RunEvent => {
      const address = foldAddress(written);
      const members = [{ team: teamKeyOf("acc-1", name), address, prefix }];
      const keys = [{ prefix, address, roles: shown }];
      return { type: "access-seen", at: noon, service: "https://s.example", users: [address], members, keys };
    }),
  nasty.map((service): RunEvent => ({ type: "epoch-started", at: noon, service })),
  fc.maxSafeNat().map((sequence): RunEvent => ({ type: "sequenced", at: noon, sequence })),
  nasty.map((file): RunEvent => ({ type: "plan-file-begun", at: noon, file })),
  nasty.map((name): RunEvent => ({ type: "intended", at: noon, run: "r", action: name, intent: creationIntent(name) })),
  nasty.map(
    (name): RunEvent => ({
      type: "intended",
      at: noon,
      until: noon,
      run: "r",
      action: name,
      intent: rolesIntent(name),
    }),
  ),
);
