import { describe, expect, test } from "vitest";
import { readS3Address } from "../../../../src/state/s3/s3-address.ts";

describe("a state address of S3", () => {
  test.each([
    ["s3://acme/state.json", { bucket: "acme", key: "state.json" }],
    ["s3://acme.eu/teams/roster/state.json", { bucket: "acme.eu", key: "teams/roster/state.json" }],
    ["s3://acme/a%20b+c.json", { bucket: "acme", key: "a%20b+c.json" }],
    ["s3://acme/Zoë/state.json", { bucket: "acme", key: "Zoë/state.json" }],
    ["s3://acme/state.json?region=eu-west-1", { bucket: "acme", key: "state.json", region: "eu-west-1" }],
    ["s3://acme/state.json?region=", { bucket: "acme", key: "state.json" }],
    [
      "s3://acme/state.json?endpoint=https://s3.example:9000/base&region=auto",
      { bucket: "acme", key: "state.json", region: "auto", endpoint: "https://s3.example:9000/base" },
    ],
    [
      "s3://acme/state.json?endpoint=https%3A%2F%2Fs3.example",
      { bucket: "acme", key: "state.json", endpoint: "https://s3.example" },
    ],
  ])("%s is read", (text, value) => {
    expect(readS3Address(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["s3://AKID:secret@acme/state.json", "holds credentials"],
    ["s3:///state.json", "names no bucket"],
    ["s3:acme/state.json", "names no bucket"],
    ["s3://Acme/state.json", "names no bucket"],
    ["s3://a/state.json", "names no bucket"],
    ["s3://acme", "names no object"],
    ["s3://acme/", "names no object"],
    ["s3://acme/roster/", "names no object"],
    ["s3://acme//state.json", "has an empty part"],
    ["s3://acme/../other/state.json", "has an empty part, or one that is . or .."],
    ["s3://acme/./state.json", "has an empty part, or one that is . or .."],
    ["s3://acme/state.json.lock", "ends in .lock"],
    ["s3://acme/st\u0000te.json", "holds a control character"],
    ["s3://acme/st\ud800te.json", "holds a control character"],
    [`s3://acme/${"ë".repeat(501)}`, "longer than 1000 bytes"],
    ["s3://acme/state.json#part", "carries a fragment"],
    ["s3://acme/state.json?profile=prod", "knows no profile="],
    ["s3://acme/state.json?secret=x&AWS%3Dkey=y", "knows no secret="],
    ["s3://acme/state.json?region=a&region=b", "each once"],
  ])("%j is refused: it %s", (text, why) => {
    expect(readS3Address(text)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  test("what may be a secret is not quoted", () => {
    const said = ["s3://AKID:hunter2@acme/state.json", "s3://acme/state.json?key=hunter2", "s3://acme/s?hunter2*=1"];
    expect(JSON.stringify(said.map(readS3Address))).not.toContain("hunter2");
  });
});
