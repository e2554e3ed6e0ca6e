import { afterEach, describe, expect, test } from "vitest";
import type { DatabasePlace } from "../../src/log/postgres/address.ts";
import { postgresAuditTrail } from "../../src/log/postgres/audit-trail.ts";
import type { AuditTrail } from "../../src/ports/state-store.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { describeTrail, trailLines, verifiedCalls } from "../support/audit-trail-contract.ts";
import { emptyDirectory, prompt, roster } from "../support/command.ts";
import { addressOf, type PostgresPlace, placeAt, postgresPlace } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile, serverPassword } from "../support/postgres-server.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { creation, failureOf, unwrap } from "../support/state-place.ts";
import { saving } from "../support/store-kind.ts";

const programs = postgresPrograms();
const lines = trailLines(40);

const opened: AuditTrail[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((trail) => trail.close()));
});

function trailAt(place: DatabasePlace): AuditTrail {
  const trail = postgresAuditTrail({ place, patience: { connect: 5000, statement: 10_000 } });
  opened.push(trail);
  return trail;
}

describe.skipIf(programs === undefined)("an audit trail in PostgreSQL", () => {
  const server = serverOfThisFile(programs);

  describeTrail({
    name: "PostgreSQL",
    async place() {
      const { place, address } = await postgresPlace(server());
      return {
        open: async () => trailAt(place),
        openUnreachable: async () => trailAt(placeAt(address.replace(`:${server().port}/`, ":1/"))),
      };
    },
    secrets: [serverPassword, encodeURIComponent(serverPassword)],
  });

  test("lets one of many runs that add records behind the same one write", async () => {
    const { place } = await postgresPlace(server());
    const runs = Array.from({ length: 8 }, () => trailAt(place));
    for (let after = 0; after < 20; after += 2) {
      const added = await Promise.all(runs.map((run) => run.append(lines.slice(after, after + 2), after)));
      expect(added.filter(({ ok }) => ok)).toHaveLength(1);
      const why = added.flatMap((one) => (one.ok ? [] : [one.error.message.split(": ").at(-1)]));
      expect(new Set(why)).toEqual(new Set(["another program added records to it"]));
    }
    expect(unwrap(await trailAt(place).read())).toEqual(lines.slice(0, 20));
  });

  test("has its table with those of a state, and makes it in a database whose tables are older", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    expect(await place.sql("SELECT count(*)::int AS count FROM roster_audit WHERE name = $1", [place.name])).toEqual([
      { count: 0 },
    ]);
    await place.sql("DROP TABLE roster_audit");
    const trail = trailAt(place.place);
    expect([unwrap(await trail.last()), unwrap(await trail.read())]).toEqual([undefined, []]);
    unwrap(await trail.append(lines, 0));
    expect(unwrap(await trail.read())).toEqual(lines);
  });

  test("tells a user who may not create the table what to run, and it is enough to add records, and no more", async () => {
    const place = await postgresPlace(server());
    await place.sql("DROP TABLE IF EXISTS roster_audit");
    const trail = trailAt(await asUser(place, "auditor"));
    const failure = await failureOf(trail.append(lines, 0));
    expect(failure).toMatchObject({
      code: "state",
      message: `the audit trail could not be written at ${place.place.shown}: it has no table there, and auditor cannot create one`,
    });
    const [advice, ...sql] = failure.hint?.split("\n") ?? [];
    expect(advice).toBe(
      "ask a database administrator to run the SQL below once, or name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail",
    );
    await place.sql(sql.join("\n"));
    unwrap(await trail.append(lines, 0));
    expect(unwrap(await trail.read())).toEqual(lines);
    const rights = await place.sql(
      "SELECT string_agg(privilege_type, ',' ORDER BY privilege_type) AS all FROM information_schema.role_table_grants WHERE grantee = 'auditor'",
    );
    expect(rights).toEqual([{ all: "INSERT,SELECT" }]);
  });

  test("tells a user who may not use the table who can change that", async () => {
    const place = await postgresPlace(server());
    unwrap(await trailAt(place.place).append(lines, 0));
    const trail = trailAt(await asUser(place, "passer"));
    for (const asked of [trail.last(), trail.append(lines, 40)]) {
      expect(await failureOf(asked)).toMatchObject({
        code: "state",
        message: expect.stringContaining("passer has no permission for the tables of roster"),
        hint: expect.stringContaining("GRANT SELECT, INSERT ON roster_audit TO passer, or name another place"),
      });
    }
  });

  test.each([
    ["with the state", undefined],
    ["where ROSTER_AUDIT says", "elsewhere"],
  ])("has every call of an apply, %s", async (_, elsewhere) => {
    const { address, name } = await postgresPlace(server());
    const directory = emptyDirectory();
    const user = (who: string) => `{ email: ${who}@acme.example, firstName: ${who}, lastName: Roe }`;
    await writeRoster(directory, {
      "roster.yaml": `version: 1\naccount: acc-1\nusers:\n  - ${user("ada")}\n  - ${user("bo")}\n`,
    });
    const service = await startReferenceServer({ port: 0 });
    const audit = elsewhere === undefined ? {} : { ROSTER_AUDIT: address.replace(name, `${name}-${elsewhere}`) };
    const applied = await roster(["apply", "--auto-approve", "roster.yaml"], {
      cwd: directory,
      env: {
        ...prompt,
        ...audit,
        ROSTER_ENDPOINT: service.endpoint,
        ROSTER_API_KEY: service.key,
        ROSTER_STATE: elsewhere === undefined ? address : "file:state.json",
      },
    });
    await service.close();
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(`${applied.stdout}${applied.stderr}`).not.toContain(serverPassword);
    const trail = trailAt(placeAt(addressOf(server().port, elsewhere === undefined ? name : `${name}-${elsewhere}`)));
    expect(await verifiedCalls(trail)).toEqual([
      "create-user ada@acme.example done",
      "create-user bo@acme.example done",
    ]);
  });

  async function asUser(place: PostgresPlace, user: string): Promise<DatabasePlace> {
    await place.sql(`CREATE ROLE ${user} LOGIN PASSWORD 'of ${user}'`);
    return placeAt(addressOf(server().port, place.name, user, `of ${user}`));
  }
});
