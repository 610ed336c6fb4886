// boardgame.io's own server with its Postgres storage. Says "ready" when it answers.
"use strict";

const { Server } = require("boardgame.io/server");
const { PostgresStore } = require("bgio-postgres");
const { Mine } = require("./mine");

const db = new PostgresStore(process.env.DATABASE_URL, { logging: false, pool: { max: 20 } });
const server = Server({ games: [Mine], db, origins: ["http://127.0.0.1"] });
server.run({ port: Number(process.argv[2]), callback: () => console.error("ready") });
