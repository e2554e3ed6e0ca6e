import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/cli/system.ts";
import type { OpenTransport } from "../../../../src/service/transport.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { innerRoster } from "../../../support/inner-command.ts";

test("a host may carry the calls to the account service itself, so that nothing is sent over the network", async () => {
  const directory = emptyDirectory();
  writeFileSync(
    join(directory, "roster.yaml"),
    "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\n",
  );
  const seen: string[] = [];
  const openTransport: OpenTransport = ({ origin, key }) => ({
    async send({ method, path }) {
      seen.push(`${method} ${origin}${path} with ${key}`);
      return { is: "no-answer", why: "barred", sent: false, cause: "nothing is carried" };
    },
    close: async () => void seen.push("closed"),
  });
  const { code, stderr } = await innerRoster(["plan", "roster.yaml"], {
    cwd: directory,
    env: { ROSTER_ENDPOINT: "https://service.example", ROSTER_API_KEY: "pre.secret" },
    clock: systemClock,
    randomness: systemRandomness,
    openTransport,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("The service cannot be reached: nothing is carried");
  expect(seen).toContain("GET https://service.example/api/accounting/accounts/acc-1 with pre.secret");
  expect(seen.at(-1)).toBe("closed");
});
