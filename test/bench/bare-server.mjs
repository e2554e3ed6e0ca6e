// The floor of the reference server: node:http reads each body as JSON and answers what the lightest client reads. It is driven as service.mjs is.
import { createServer } from "node:http";

const answer = JSON.stringify({ identifier: "u-1", prefix: "x".repeat(20), roles: ["DEVELOPER", "TEAM_ROLE"] });

const server = createServer({ noDelay: true }, (request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send({ endpoint: `http://127.0.0.1:${server.address().port}`, key: "none" });
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS / 1024 });
});
process.on("disconnect", () => process.exit());
