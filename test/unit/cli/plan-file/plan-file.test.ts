import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { validPlanFile } from "../../../../src/codec/generated/plan-file.js";
import { decodePlanFile, encodePlanFile } from "../../../../src/plan/plan-file.ts";
import { testSessions } from "../../../support/sessions.ts";

testSessions(new URL("plan-file.txt", import.meta.url), {
  cut({ cwd }, [file = "", length]) {
    writeFileSync(join(cwd, file), readFileSync(join(cwd, file), "utf8").slice(0, Number(length)));
  },
  /** Changes a plan file as somebody who knows its format: the checksum in it is right again. */
  forge({ cwd }, [file = "", part]) {
    const read = decodePlanFile(readFileSync(join(cwd, file), "utf8"), validPlanFile);
    if (!read.ok) throw new Error(read.error);
    const { plan } = read.value;
    const change = part === "witnesses" ? { witnesses: [] } : { plan: { ...plan, actions: plan.actions.slice(0, 1) } };
    writeFileSync(join(cwd, file), encodePlanFile({ ...read.value, ...change }));
  },
  "forge-document"({ cwd }, [file = ""]) {
    const document: { readonly actions: readonly unknown[] } = JSON.parse(readFileSync(join(cwd, file), "utf8"));
    writeFileSync(join(cwd, file), JSON.stringify({ ...document, actions: document.actions.slice(0, 1) }));
  },
  digest({ cwd }, [file = "", digest]) {
    expect(
      createHash("sha256")
        .update(readFileSync(join(cwd, file)))
        .digest("hex"),
    ).toBe(digest);
  },
});
