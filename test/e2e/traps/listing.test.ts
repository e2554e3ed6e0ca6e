import { describe, expect, test } from "vitest";
import {
  clientOf,
  crowd,
  crowded,
  crowdOf,
  everyone,
  fullRoster,
  growingRoster,
  listThrough,
  pagesAsked,
  small,
} from "../../support/crowd.ts";
import { scene, writesOf } from "../../support/trap-scene.ts";

describe.concurrent("traps of listing", () => {
  test("1: page 0 is page 1 by another name, and costs one request until that is learned", async ({
    onTestFinished,
  }) => {
    const { server, client } = await crowded(onTestFinished, 25, { ...small, pageBase: "one-alias" });
    const first = await everyone(client);
    const pages = pagesAsked(server);
    const second = await everyone(client);
    expect({ first, second, pages, cached: pagesAsked(server).slice(pages.length) }).toEqual({
      first: crowdOf(25),
      second: crowdOf(25),
      pages: ["0", "1", "2", "3", "4"],
      cached: ["1", "2", "3", "4"],
    });
  });

  test("2: the first page is page 0, and nobody on it is created again", async ({ onTestFinished }) => {
    const knobs = { ...small, pageBase: "zero" } as const;
    const at = await scene(onTestFinished, { knobs, seed: crowd(25), roster: growingRoster });
    const { code, planned } = await at.plan();
    expect({ code, planned, ...(await listThrough(onTestFinished, 25, knobs)) }).toEqual({
      code: 2,
      planned: ["create-user:new@acme.example", "replace-roles:acc-1/red:new@acme.example"],
      everyone: crowdOf(25),
      pages: ["0", "1", "2", "3"],
    });
  });

  test.for(["one-strict", "one-empty"] as const)(
    "3: page 0 is no page (%s), and that is no failure",
    async (pageBase, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { ...small, pageBase }, seed: crowd(25), roster: fullRoster });
      const { code, everyone: read, findings } = await at.drift();
      expect({ code, read, findings }).toEqual({
        code: 0,
        read: { read: "complete", by: "list" },
        findings: [],
      });
    },
  );

  test.for([
    { maxPerPage: 20, overMaxPerPage: "clamp" },
    { maxPerPage: 20, overMaxPerPage: "reject" },
    { maxPerPage: 20, overMaxPerPage: "ignore" },
  ] as const)("4: a page holds less than was asked for ($overMaxPerPage)", async (knobs, { onTestFinished }) => {
    const listed = await listThrough(onTestFinished, 57, knobs);
    expect(listed.everyone).toEqual(crowdOf(57));
  });

  test("5: the last page is full, and names a next one", async ({ onTestFinished }) => {
    const { everyone: read, pages } = await listThrough(onTestFinished, 20, { ...small, link: "always" });
    expect({ read, stops: pages.length <= 6 }).toEqual({ read: crowdOf(20), stops: true });
  });

  test.for(["self-next", "zero-next"] as const)(
    "6: the link to the next page leads nowhere (%s)",
    async (link, { onTestFinished }) => {
      expect(await listThrough(onTestFinished, 25, { ...small, link })).toEqual({
        everyone: crowdOf(25),
        pages: ["0", "1", "2", "3", "4"],
      });
    },
  );

  test.for(["http-inner-host", "relative", "evil-host", "drops-query"] as const)(
    "7: the link to the next page leads elsewhere (%s), and the key goes nowhere",
    async (link, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { ...small, link }, seed: crowd(25), roster: fullRoster });
      const { code, everyone: read } = await at.drift();
      at.server.setKnobs({ envelope: "L4" });
      const inBody = await everyone(clientOf(at.server, onTestFinished));
      const hosts = new Set(at.server.requests.map(({ host }) => `http://${host}`));
      expect({ code, read, inBody, hosts }).toEqual({
        code: 0,
        read: { read: "complete", by: "list" },
        inBody: crowdOf(25),
        hosts: new Set([at.server.endpoint]),
      });
    },
  );

  test("8: every page is the first, so that nobody's and no team's absence is proven", async ({ onTestFinished }) => {
    const knobs = { ...small, pageBase: "ignored" } as const;
    const at = await scene(onTestFinished, { knobs, seed: crowd(25), roster: growingRoster });
    const { code, planned, findings } = await at.apply();
    expect({ code, planned, findings, writes: writesOf(at.server) }).toEqual({
      code: 9,
      planned: [],
      findings: ["!incomplete-read user new@acme.example", "!incomplete-read team acc-1/red"],
      writes: [],
    });
  });
});
