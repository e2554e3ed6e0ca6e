import { describe, expect, onTestFinished, test } from "vitest";
import type { AddressSource } from "../../../../src/library/stores/address.ts";
import { openHttp } from "../../../../src/library/stores/open-http.ts";
import type { Variables } from "../../../../src/library/system.ts";
import { noon } from "../../../support/event-builders.ts";
import { unwrap } from "../../../support/state-place.ts";
import { storeEnvironment } from "../../../support/store-environment.ts";
import { terraformStateServer } from "../../../support/terraform-state-server.ts";

const run = { run: "run-1", operation: "apply", at: noon };

async function opened(address: string, env: Variables, source: AddressSource = { by: "person" }) {
  const store = await openHttp(address, storeEnvironment(env), source, {});
  if (!store.ok) return store.error;
  onTestFinished(() => store.value.close());
  return store.value;
}

async function locking(address: string, env: Variables) {
  const store = await opened(address, env);
  if (!("lock" in store)) throw new Error(JSON.stringify(store));
  const session = unwrap(await store.lock(run));
  await session.close();
}

describe("an address of an HTTP state server", () => {
  test("is used with the credentials, routes and methods of the environment", async () => {
    const credentials = { username: "ada", password: "sesame" };
    const server = await terraformStateServer({ credentials }, onTestFinished);
    const { origin } = new URL(server.address);
    const env = {
      ROSTER_STATE_USERNAME: "ada",
      ROSTER_STATE_PASSWORD: "sesame\n",
      ROSTER_STATE_LOCK_ADDRESS: `${server.address}?by=lock`,
      ROSTER_STATE_UNLOCK_ADDRESS: `${server.address}?by=unlock`,
      ROSTER_STATE_LOCK_METHOD: "LOCK",
      ROSTER_STATE_UNLOCK_METHOD: "UNLOCK",
      ROSTER_STATE_UPDATE_METHOD: "POST",
    };
    await locking(`${origin}/state/roster`, env);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "LOCK /state/roster?by=lock",
      "GET /state/roster",
      "UNLOCK /state/roster?by=unlock",
    ]);
  });

  test("of GitLab needs nothing but the credentials", async () => {
    const credentials = { username: "gitlab-ci-token", password: "job" };
    const server = await terraformStateServer({ dialect: "gitlab", credentials }, onTestFinished);
    await locking(server.address, { ROSTER_STATE_USERNAME: "gitlab-ci-token", ROSTER_STATE_PASSWORD: "job" });
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "GET", "DELETE"]);
  });

  test("that is wrong is an error of the settings", async () => {
    expect(await opened("http://state.example/x", {})).toMatchObject({
      reason: "invalid",
      diagnostics: [{ code: "bad-state-address", hint: "Use https://; http:// works only for this machine." }],
    });
  });

  test("that a change to the checkout can edit gets no credentials of the environment", async () => {
    const source = { by: "checkout", file: "roster.config.yaml" } as const;
    const stopped = await opened("https://state.example/x", { ROSTER_STATE_PASSWORD: "sesame" }, source);
    expect(stopped).toMatchObject({ reason: "invalid", diagnostics: [{ code: "untrusted-endpoint" }] });
    expect(JSON.stringify(stopped)).not.toContain("sesame");
    expect(await opened("https://state.example/x", {}, source)).toMatchObject({ address: "https://state.example/x" });
  });
});
