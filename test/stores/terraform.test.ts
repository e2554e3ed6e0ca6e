import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHttpClient } from "../../src/network/origin.ts";
import type { StateStore } from "../../src/ports/state-store.ts";
import { serverPlace } from "../../src/state/http/address.ts";
import { httpStore } from "../../src/state/http/store.ts";
import { creationIntent, intended, noon } from "../support/event-builders.ts";
import { clockAt, timerBy } from "../support/fixed-ports.ts";
import { aRun, failureOf, unwrap } from "../support/state-place.ts";
import { installedTerraform, terraformWork } from "../support/terraform-command.ts";
import { type TerraformStateServer, terraformStateServer } from "../support/terraform-state-server.ts";

const credentials = { username: "ada", password: "sesame" };
const dialects = ["terraform", "gitlab"] as const;
const version = installedTerraform();
if (version === undefined)
  console.warn("There is no `terraform` command here: what it makes of our state server is not tested.");

function serverOf(dialect: (typeof dialects)[number]): Promise<TerraformStateServer> {
  return terraformStateServer({ dialect, credentials }, onTestFinished);
}

/** As GitLab's documentation and Terraform's have it. */
function backendFor({ address }: TerraformStateServer, dialect: (typeof dialects)[number]) {
  const lock = dialect === "gitlab" ? `${address}/lock` : address;
  const methods = dialect === "gitlab" ? { lock_method: "POST", unlock_method: "DELETE" } : {};
  return { address, lock_address: lock, unlock_address: lock, ...methods, ...credentials };
}

function storeAt({ address }: TerraformStateServer): StateStore {
  const place = serverPlace(address, credentials);
  if (!place.ok) throw new Error(place.error.message);
  const { origin } = place.value.read.url;
  const http = openHttpClient({ origin, timeout: 5000, largestAnswer: 1_000_000, clock: timerBy() });
  const randomness = { fraction: () => 0.5, identifier: () => randomUUID() };
  const store = httpStore({ place: place.value, http, clock: clockAt(noon), randomness, version: "1.2.3" });
  onTestFinished(() => store.close());
  return store;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(version === undefined).each(dialects)(
  `${version ?? "Terraform"} and a state server like %s`,
  (dialect) => {
    test("agree on an apply, and on one that finds nothing to do", async () => {
      const server = await serverOf(dialect);
      const work = await terraformWork({ backend: backendFor(server, dialect) }, onTestFinished);
      expect(await work.run("init")).toMatchObject({ code: 0 });
      expect(await work.run("apply", "-auto-approve")).toMatchObject({
        code: 0,
        told: expect.stringContaining("1 added"),
      });
      expect(await work.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
      expect(JSON.parse(server.kept() ?? "")).toMatchObject({ version: 4, resources: [{ type: "terraform_data" }] });
      expect(server.lockedBy()).toBeUndefined();
    });

    test("tell Terraform that roster holds the lock, and break it on a person's word", async () => {
      const server = await serverOf(dialect);
      const work = await terraformWork({ backend: backendFor(server, dialect) }, onTestFinished);
      expect(await work.run("init")).toMatchObject({ code: 0 });
      const session = unwrap(await storeAt(server).lock(aRun));
      const id = server.lockedBy() ?? "";
      const refused = await work.run("apply", "-auto-approve");
      expect(refused).toMatchObject({ code: 1, told: expect.stringContaining("Error acquiring the state lock") });
      expect(refused.told).toContain(id);
      expect(await work.run("force-unlock", "-force", id)).toMatchObject({ code: 0 });
      expect(server.lockedBy()).toBeUndefined();
      await expect(session.append([intended("r1", "a", creationIntent("ada"))])).rejects.toThrow(
        "the lock of this run was broken or taken over",
      );
      expect(await work.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    });

    test("tell roster that Terraform holds the lock, and whose state it is", async () => {
      const server = await serverOf(dialect);
      const work = await terraformWork({ backend: backendFor(server, dialect), seconds: 2 }, onTestFinished);
      expect(await work.run("init")).toMatchObject({ code: 0 });
      const applying = work.run("apply", "-auto-approve");
      await until(() => server.lockedBy() !== undefined);
      const store = storeAt(server);
      const refused = await failureOf(store.lock(aRun));
      expect(refused).toMatchObject({
        code: "locked",
        hint: expect.stringContaining(`\`roster state unlock ${server.lockedBy()}\``),
      });
      expect(refused.message.includes("OperationTypeApply")).toBe(dialect === "terraform");
      expect(await applying).toMatchObject({ code: 0 });
      expect(await failureOf(store.lock(aRun))).toMatchObject({
        code: "state",
        message: "the state could not be read: this address has a state of Terraform",
      });
      expect(server.lockedBy()).toBeUndefined();
    });
  },
);
