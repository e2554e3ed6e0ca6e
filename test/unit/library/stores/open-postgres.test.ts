import { describe, expect, test } from "vitest";
import type { Variables } from "../../../../src/library/environment.ts";
import { openPostgres } from "../../../../src/library/stores/open-postgres.ts";
import { settled } from "../../../support/settled.ts";
import { storeEnvironment } from "../../../support/store-environment.ts";

const person = undefined;
const checkout = "roster.config.yaml";

async function opened(address: string, env: Variables, editableIn: string | undefined) {
  const store = await settled(() => openPostgres(address, storeEnvironment(env), editableIn));
  return store.ok ? store.value.address : `${store.error.code}: ${store.error.message}`;
}

describe("an address of a PostgreSQL database", () => {
  const address = "postgres://ada:secret@db.acme.example/roster?name=blue";
  const shown = "postgres://db.acme.example:5432/roster?name=blue";

  test.each<[string, string, Variables, string | undefined, string]>([
    ["is shown without its credentials", address, {}, person, shown],
    [
      "takes what it lacks from the environment",
      "postgres:///roster",
      { PGHOST: "h", PGUSER: "u" },
      person,
      "postgres://h:5432/roster?name=roster",
    ],
    [
      "that is none is a wrong setting, of which nothing is quoted",
      "postgres://ada:se/cret@db.acme.example/roster",
      {},
      person,
      "bad-value: The log address postgres:… is not an address; write postgres://USER@HOST/DATABASE?name=NAME.",
    ],
    [
      "in a file of the checkout gets no password of the environment",
      address.replace(":secret", ""),
      { PGPASSWORD: "secret" },
      checkout,
      "untrusted: The password of the log comes from PGPASSWORD, but its address comes from " +
        "roster.config.yaml. A change to the checkout can edit that file.",
    ],
    ["in a file of the checkout may have one of its own", address, { PGPASSWORD: "other" }, checkout, shown],
    ["in a file of the checkout needs none", address.replace(":secret", ""), { HOME: "/home/ada" }, checkout, shown],
  ])("%s", async (_, written, env, source, expected) => {
    expect(await opened(written, env, source)).toBe(expected);
  });
});
