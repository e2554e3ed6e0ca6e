import { expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { type Scripted, scriptedServer } from "../support/scripted-server.ts";

test.each([
  ["the path prefix that is not there", "/modzy", "", "Set the endpoint to ORIGIN. The service answers there."],
  ["the path prefix that is missing", "", "/modzy", "No account service answers here"],
  ["an /api of the service's own", "", "/api", "Set the endpoint to ORIGIN/api/api. The service answers there."],
])("roster doctor looks for the right address: %s", async (_name, configured, real, means) => {
  const answer = (url: string): Scripted =>
    url.startsWith(`${real}/api/accounting/roles`) ? { json: [{ identifier: "A" }] } : { status: 404, text: "<html>" };
  const server = await scriptedServer(({ url }) => answer(url));
  onTestFinished(() => server.close());
  const { origin } = server.endpoint;
  const env = { ROSTER_ENDPOINT: `${origin}${configured}`, ROSTER_API_KEY: "prefix1.s3cretpart" };
  const { code, stdout } = await inside(["doctor", "--format", "json"], { cwd: emptyDirectory(), env });
  const { checks } = JSON.parse(stdout).examination as { readonly checks: readonly { check: string; means: string }[] };
  const told = checks.find(({ check }) => check === "base-address")?.means;
  expect([code, told]).toEqual([1, expect.stringContaining(means.replace("ORIGIN", origin))]);
});
