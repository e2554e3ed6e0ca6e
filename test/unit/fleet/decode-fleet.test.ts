import { expect, test } from "vitest";
import { decodeFleet } from "../../../src/fleet/decode-fleet.ts";
import { readYaml } from "../../../src/yaml/read.ts";

const faults = (text: string) => {
  const decoded = decodeFleet(readYaml("fleet.yaml", new TextEncoder().encode(text)));
  return decoded.ok ? decoded.value.defaults : decoded.error;
};

const target = "- { name: a, roster: r, endpoint: https://a.example, state: s3://b/a, key:";

test.each(["pre1.s3cret-s3cret", "{ value: pre1.s3cret-s3cret }", "{ env: A, value: pre1.s3cret-s3cret }", "[s3cret]"])(
  "a key is never a value, and the error does not show it: %s",
  (key) => {
    const [fault, ...others] = [faults(`version: 1\ntargets:\n  ${target} ${key} }\n`)].flat();
    expect(fault).toMatchObject({ code: "bad-value", message: "`key` must be `env`, `file` or `command`." });
    expect([JSON.stringify(fault).includes("s3cret"), others]).toEqual([false, []]);
  },
);

test("four targets run at once, with ten calls to an origin, unless the file says otherwise", () => {
  const rest = `targets:\n  ${target} { env: A } }\n`;
  expect(faults(`version: 1\n${rest}`)).toEqual({ parallelism: 4, callsPerOrigin: 10 });
  expect(faults(`version: 1\ndefaults: { parallelism: 8 }\n${rest}`)).toEqual({ parallelism: 8, callsPerOrigin: 10 });
});
