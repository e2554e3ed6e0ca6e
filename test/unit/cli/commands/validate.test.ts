import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { testSessions } from "../../../support/sessions.ts";

testSessions(new URL("validate.txt", import.meta.url), {
  schemas({ cwd }, [directory = ""]) {
    for (const [name, source] of Object.entries({ "roster.schema": "roster", "roster.config.schema": "settings" })) {
      const copy = readFileSync(join(cwd, directory, `${name}.json`), "utf8");
      expect(copy).toBe(readFileSync(`schemas/${source}.schema.json`, "utf8"));
    }
  },
});
