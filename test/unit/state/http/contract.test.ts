import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { openHttpClient } from "../../../../src/network/origin.ts";
import type { StateStore } from "../../../../src/ports/state-store.ts";
import { serverPlace } from "../../../../src/state/http/address.ts";
import { httpStore } from "../../../../src/state/http/store.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, timerBy } from "../../../support/fixed-ports.ts";
import { closedEndpoint } from "../../../support/scripted-server.ts";
import { describeStore } from "../../../support/store-contract.ts";
import type { StorePlace } from "../../../support/store-kind.ts";
import { terraformStateServer } from "../../../support/terraform-state-server.ts";

const credentials = { username: "ada", password: "sesame-4711" };

async function place(): Promise<StorePlace> {
  const server = await terraformStateServer({ credentials }, onTestFinished);
  const nowhere = await closedEndpoint();
  return {
    open: async () => storeAt(server.address),
    openUnreachable: async () => storeAt(`${nowhere.origin}/state/roster`),
    // Nothing frees the lock of a run that died but a person.
    kill: async () => server.breakLock(),
    content: async () => server.kept() ?? "",
    damage: async () => server.keep(server.kept()?.slice(0, -20) ?? ""),
  };
}

function storeAt(address: string): StateStore {
  const place = serverPlace(address, credentials);
  if (!place.ok) throw new Error(place.error.message);
  const { origin } = place.value.read.url;
  const http = openHttpClient({ origin, timeout: 5000, largestAnswer: 1_000_000, clock: timerBy() });
  onTestFinished(() => http.close().catch(() => undefined));
  const randomness = { fraction: () => 0.5, identifier: () => randomUUID() };
  return httpStore({ place: place.value, http, clock: clockAt(noon), randomness, version: "1.2.3" });
}

// GitLab does not tell what a lock was taken for: the tests of the store beside this one show it.
describeStore({
  name: "a Terraform state server",
  fencedBy: "unlock",
  secrets: ["sesame-4711", Buffer.from("ada:sesame-4711").toString("base64")],
  place,
});
