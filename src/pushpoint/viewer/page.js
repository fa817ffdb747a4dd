"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const places = (packed) => {
    if (!packed) return null;
    const whole = new Uint16Array(bytes(packed.values)), out = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; i++) out[i] = packed.low[i % 3] + packed.step[i % 3] * whole[i];
    return out;
  };
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

  // --- what was recorded ---
  const runs = data.runs.map((run) => {
    const turn = new Int16Array(bytes(run.turn)), turns = new Float32Array(turn.length);
    for (let i = 0; i < turn.length; i++) turns[i] = turn[i] / 32767;
    const count = new Uint16Array(bytes(run.contacts.count)), first = [0];
    for (const n of count) first.push(first[first.length - 1] + n);
    return {
      ...run, time: new Float32Array(bytes(run.time)), position: places(run.position), turn: turns,
      colour: new Uint8Array(bytes(run.colour)), palette: run.palette.map(rgb), reference: places(run.reference),
      discs: places(run.discs), ground: places(run.ground), grade: new Uint8Array(bytes(run.grade)), first,
      start: new Float32Array(bytes(run.contacts.start)), vector: new Float32Array(bytes(run.contacts.vector)),
    };
  });
  const begin = Math.min(...runs.map((run) => run.time[0]));
  const end = Math.max(...runs.map((run) => run.time[run.time.length - 1]));
  const frameAt = (run, t) => {  // the frame nearest to a time
    let low = 0, high = run.time.length - 1;
    while (low < high) { const mid = (low + high) >> 1; if (run.time[mid] < t) low = mid + 1; else high = mid; }
    return low > 0 && t - run.time[low - 1] <= run.time[low] - t ? low - 1 : low;
  };

  // --- drawing ---
  const canvas = $("scene");
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) { $("problem").hidden = false; $("problem").textContent = "This browser has no WebGL 2: the scene cannot be shown."; }
  const shader = (kind, source) => {
    const made = gl.createShader(kind);
    gl.shaderSource(made, source); gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(made));
    return made;
  };
  let program, where, dynamic;
  const buffer = (values) => {
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made); gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    return made;
  };
  const meshOf = (packed) => {  // normals are means over the triangles at a vertex
    const v = new Float32Array(bytes(packed.vertices)), f = new Uint32Array(bytes(packed.faces));
    const n = new Float32Array(v.length);
    for (let i = 0; i < f.length; i += 3) {
      const [a, b, c] = [f[i] * 3, f[i + 1] * 3, f[i + 2] * 3];
      const u = [0, 1, 2].map((k) => v[b + k] - v[a + k]), w = [0, 1, 2].map((k) => v[c + k] - v[a + k]);
      const m = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
      for (const p of [a, b, c]) for (let k = 0; k < 3; k++) n[p + k] += m[k];
    }
    const indices = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, f, gl.STATIC_DRAW);
    return { v: buffer(v), n: buffer(n), f: indices, count: f.length };
  };
  let stages = [], arrow;
  const prepare = () => {
    program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
      in vec3 place; in vec3 normal; uniform mat4 view, model; out vec3 n; out vec3 p;
      void main() { n = mat3(model) * normal; vec4 w = model * vec4(place, 1.0); p = w.xyz; gl_Position = view * w; }`));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `#version 300 es
      precision highp float; in vec3 n; in vec3 p; uniform vec4 colour; uniform float lit; uniform vec3 eye; out vec4 seen;
      void main() {
        vec3 m = normalize(n + vec3(0.0, 0.0, 1e-6));
        float sky = 0.62 + 0.18 * m.z;
        float sun = 0.34 * max(dot(m, normalize(vec3(-0.4, -0.5, 0.9))), 0.0);
        vec3 half_way = normalize(normalize(eye - p) + normalize(vec3(-0.4, -0.5, 0.9)));
        float shine = 0.12 * pow(max(dot(m, half_way), 0.0), 40.0);
        seen = vec4(mix(colour.rgb, colour.rgb * (sky + sun) + shine, lit), colour.a);
      }`));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    where = Object.fromEntries(["view", "model", "colour", "lit", "eye"].map((k) => [k, gl.getUniformLocation(program, k)]));
    where.place = gl.getAttribLocation(program, "place"); where.normal = gl.getAttribLocation(program, "normal");
    gl.enable(gl.DEPTH_TEST); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    dynamic = gl.createBuffer();
    arrow = meshOf(data.arrow);
    stages = data.stages.map((stage) => ({
      ...stage, solids: stage.solids.map((s) => ({ ...meshOf(s), colour: rgb(s.colour) })),
      lines: stage.lines.map((s) => { const v = new Float32Array(bytes(s.pieces)); return { v: buffer(v), count: v.length / 3, colour: rgb(s.colour) }; }),
      bodies: stage.bodies.map((s) => ({ ...meshOf(s), links: s.links })), eyes: meshOf(stage.eyes), discs: stage.discs.map(meshOf),
    }));
  };

  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const moved = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
  const posed = ([w, x, y, z], [px, py, pz]) => [
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, px, py, pz, 1];
  const times = (a, b) => { const out = new Array(16).fill(0); for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) out[4 * j + i] += a[4 * k + i] * b[4 * j + k]; return out; };
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => { const s = Math.hypot(...a) || 1; return a.map((v) => v / s); };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

  const HALF = 0.35;  // [rad], half of the angle of view
  const home = () => {  // all of the stage is seen
    const stage = data.stages[0], wide = stage.box[1] - stage.box[0], deep = stage.box[3] - stage.box[2];
    const ratio = Math.max(canvas.clientWidth / Math.max(canvas.clientHeight, 1), 1), [yaw, pitch] = stage.sight;
    const high = deep * Math.sin(pitch) + stage.top * Math.cos(pitch);
    const far = 1.05 * Math.max(wide / ratio, high) / (2 * Math.tan(HALF)) + 0.4 * deep * Math.cos(pitch);
    return { at: [...stage.middle], yaw, pitch, far };
  };
  let camera = home();
  const eye = () => { const c = Math.cos(camera.pitch); return [camera.at[0] + camera.far * c * Math.cos(camera.yaw), camera.at[1] + camera.far * c * Math.sin(camera.yaw), camera.at[2] + camera.far * Math.sin(camera.pitch)]; };
  const axes = () => { const back = unit(eye().map((v, k) => v - camera.at[k])), right = [-Math.sin(camera.yaw), Math.cos(camera.yaw), 0]; return { back, right, up: cross(back, right) }; };
  const looking = () => {
    const e = eye(), { back, right, up } = axes(), near = camera.far / 100, far = camera.far * 20;
    const look = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, e), -dot(up, e), -dot(back, e), 1];
    const f = 1 / Math.tan(HALF), ratio = canvas.width / canvas.height, fit = Math.min(ratio, 1);
    return times([f * fit / ratio, 0, 0, 0, 0, f * fit, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0], look);
  };
  const bind = (location, made) => { gl.bindBuffer(gl.ARRAY_BUFFER, made); gl.enableVertexAttribArray(location); gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0); };
  const drawMesh = (mesh, model, colour, alpha = 1) => {
    bind(where.place, mesh.v); bind(where.normal, mesh.n);
    gl.uniformMatrix4fv(where.model, false, model); gl.uniform4f(where.colour, ...colour, alpha); gl.uniform1f(where.lit, 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.f); gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  };
  const drawFlat = (kind, values, colour, shift) => {  // lines and ribbons, made anew for each frame
    gl.bindBuffer(gl.ARRAY_BUFFER, dynamic); gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(where.place); gl.vertexAttribPointer(where.place, 3, gl.FLOAT, false, 0, 0);
    gl.disableVertexAttribArray(where.normal); gl.vertexAttrib3f(where.normal, 0, 0, 1);
    gl.uniformMatrix4fv(where.model, false, moved(...shift)); gl.uniform4f(where.colour, ...colour, 1); gl.uniform1f(where.lit, 0);
    gl.drawArrays(kind, 0, values.length / 3);
  };
  const ribbon = (points, wide, shift) => {  // a band through points that faces the eye
    const e = eye().map((v, k) => v - shift[k]), out = [];
    for (let i = 0; i + 5 < points.length; i += 3) {
      const a = [points[i], points[i + 1], points[i + 2]], b = [points[i + 3], points[i + 4], points[i + 5]];
      const off = unit(cross(b.map((v, k) => v - a[k]), e.map((v, k) => v - a[k]))).map((v) => v * wide / 2);
      for (const [p, s] of [[a, 1], [a, -1], [b, 1], [a, -1], [b, -1], [b, 1]]) out.push(p[0] + s * off[0], p[1] + s * off[1], p[2] + s * off[2]);
    }
    return new Float32Array(out);
  };
  const drawArrow = (start, vector, wide, colour, shift) => {
    const length = Math.hypot(...vector);
    if (length < 1e-4) return;
    const x = vector.map((v) => v / length), y = unit(cross(Math.abs(x[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], x)), z = cross(x, y);
    const w = Math.min(wide, 0.6 * length);
    drawMesh(arrow, [...x.map((v) => v * length), 0, ...y.map((v) => v * w), 0, ...z.map((v) => v * w), 0, start[0] + shift[0], start[1] + shift[1], start[2] + shift[2], 1], colour);
  };

  const FORCE = rgb("#c8107a"), GROUND = rgb("#56b4e9"), PATH = rgb("#22313f"), REFERENCE = rgb("#009e73"), EYE = [1, 1, 1];
  const grades = data.grades.map(rgb);
  const triple = (values, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
  let now = begin, playing = false, shown = runs.map(() => 0), frames = 0;

  const drawRun = (run, stage, frame, shift, alpha) => {
    const n = run.links, base = frame * n, wide = run.mark;
    if (alpha < 1) { gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 2); } else gl.disable(gl.POLYGON_OFFSET_FILL);
    gl[alpha < 1 ? "enable" : "disable"](gl.BLEND);
    for (const body of stage.bodies) for (const link of body.links) {
      const k = base + link, p = triple(run.position, k);
      const q = [run.turn[4 * k], run.turn[4 * k + 1], run.turn[4 * k + 2], run.turn[4 * k + 3]];
      const model = posed(q, [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]]);
      drawMesh(body, model, run.palette[run.colour[k]], alpha);
      if (link === n - 1) drawMesh(stage.eyes, model, EYE, alpha);
    }
    stage.discs.forEach((disc, k) => { const p = triple(run.discs, frame * stage.discs.length + k); drawMesh(disc, moved(p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]), rgb("#fbf6ea"), alpha); });
    gl.disable(gl.BLEND); gl.disable(gl.POLYGON_OFFSET_FILL);
    if ($("path").checked) {
      const points = []; for (let f = 0; f <= frame; f++) { const p = triple(run.position, f * n + n - 1); points.push(p[0], p[1], p[2] + 1.05 * run.radius); }
      drawFlat(gl.TRIANGLES, ribbon(points, 0.22 * wide, shift), alpha < 1 ? run.palette[1] : PATH, shift);
    }
    gl.disable(gl.DEPTH_TEST);
    if ($("reference").checked && run.reference) drawFlat(gl.TRIANGLES, ribbon(run.reference.subarray(frame * (n + 1) * 3, (frame + 1) * (n + 1) * 3), 0.3 * wide, shift), REFERENCE, shift);
    gl.enable(gl.DEPTH_TEST);
    gl.depthRange(0, 0.6);  // forces are seen through what hides them only a little
    for (let k = run.first[frame]; k < run.first[frame + 1]; k++) {
      const start = triple(run.start, k);
      if ($("forces").checked) drawArrow(start, triple(run.vector, k), 0.7 * wide, FORCE, shift);
      if ($("points").checked) { const s = 0.28 * wide; drawMesh(ball, [s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0, start[0] + shift[0], start[1] + shift[1], start[2] + shift[2], 1], grades[run.grade[frame]]); }
    }
    if ($("ground").checked) for (let k = base; k < base + n; k++) drawArrow(triple(run.position, k), triple(run.ground, k), 0.45 * wide, GROUND, shift);
    gl.depthRange(0, 1);
  };
  let ball;
  const draw = () => {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    gl.viewport(0, 0, w, h); gl.clearColor(0.965, 0.97, 0.975, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if ($("follow").checked) { const run = runs[0], n = run.links, m = shown[0] * n + (n >> 1); camera.at = triple(run.position, m); }
    gl.uniformMatrix4fv(where.view, false, looking()); gl.uniform3f(where.eye, ...eye());
    const beside = $("layout").value === "1";
    const shifts = runs.map((_, k) => [0, k && beside ? -(data.stages[0].box[3] - data.stages[0].box[2]) * 1.05 : 0, 0]);
    stages.forEach((stage, k) => {
      if (k && !beside) return;
      for (const s of stage.solids) drawMesh(s, moved(...shifts[k]), s.colour);
      for (const s of stage.lines) {
        bind(where.place, s.v); gl.disableVertexAttribArray(where.normal); gl.vertexAttrib3f(where.normal, 0, 0, 1);
        gl.uniformMatrix4fv(where.model, false, moved(...shifts[k])); gl.uniform4f(where.colour, ...s.colour, 1); gl.uniform1f(where.lit, 0);
        gl.drawArrays(gl.LINES, 0, s.count);
      }
    });
    const corner = [stages[0].box[0], stages[0].box[3], 0.02];
    if ($("forces").checked) drawArrow(corner, [runs[0].scale.length, 0, 0], 0.7 * runs[0].mark, FORCE, [0, 0, 0]);
    runs.forEach((run, k) => drawRun(run, stages[k], shown[k], shifts[k], k && !beside ? 0.55 : 1));
    frames++;
  };

  // --- time ---
  const show = (t) => {
    now = Math.min(Math.max(t, begin), end);
    shown = runs.map((run) => frameAt(run, now));
    $("time").value = now;
    const phase = runs.map((run, k) => run.phase[shown[k]]).filter(Boolean).join(", ");
    $("now").textContent = `${now.toFixed(2)} of ${end.toFixed(2)} s` + (phase ? ` · ${phase}` : "");
    const s = data.strip, part = (now - s.begin) / (s.end - s.begin);
    $("mark").style.left = `${100 * (s.left + (s.right - s.left) * part)}%`;
    if (gl) draw();
  };
  let last = 0;
  const step = (at) => {
    if (!playing) return;
    const t = now + Math.min(at - last, 250) / 1000 * Number($("speed").value);
    last = at;
    show(t);
    if (t >= end) pause(); else requestAnimationFrame(step);
  };
  const play = () => { if (now >= end) now = begin; playing = true; last = performance.now(); $("play").textContent = "❚❚"; $("play").setAttribute("aria-label", "Pause"); requestAnimationFrame(step); };
  const pause = () => { playing = false; $("play").textContent = "▶"; $("play").setAttribute("aria-label", "Play"); };
  $("play").addEventListener("click", () => (playing ? pause() : play()));
  Object.assign($("time"), { min: begin, max: end, step: Math.max((end - begin) / 10000, 1e-4) });
  $("time").addEventListener("input", () => { pause(); show(Number($("time").value)); });
  for (const id of ["forces", "ground", "path", "reference", "points", "follow", "layout"]) $(id).addEventListener("change", () => show(now));
  const scrub = (event) => { const b = $("strip").getBoundingClientRect(), s = data.strip; pause(); show(s.begin + (s.end - s.begin) * ((event.clientX - b.left) / b.width - s.left) / (s.right - s.left)); };
  $("strip").addEventListener("pointerdown", (event) => { scrub(event); $("strip").setPointerCapture(event.pointerId); });
  $("strip").addEventListener("pointermove", (event) => { if (event.buttons) scrub(event); });
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "INPUT") { event.preventDefault(); playing ? pause() : play(); }
    if (event.target === canvas && event.key.startsWith("Arrow")) { camera.yaw += { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key] || 0; camera.pitch = Math.min(1.56, Math.max(0.02, camera.pitch + ({ ArrowUp: 0.1, ArrowDown: -0.1 }[event.key] || 0))); show(now); }
  });

  // --- the camera ---
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); canvas.focus(); });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    if (event.buttons === 2 || event.shiftKey) {
      const { right, up } = axes(), s = camera.far / canvas.clientHeight * 0.75;
      camera.at = camera.at.map((v, k) => v - s * event.movementX * right[k] + s * event.movementY * up[k]);
    } else {
      camera.yaw -= event.movementX * 0.006;
      camera.pitch = Math.min(1.56, Math.max(0.02, camera.pitch + event.movementY * 0.006));
    }
    show(now);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); camera.far *= Math.exp(event.deltaY * 0.001); show(now); }, { passive: false });
  $("top").addEventListener("click", () => { camera.pitch = 1.56; camera.yaw = -Math.PI / 2; show(now); });
  $("side").addEventListener("click", () => { camera.pitch = 0.06; camera.yaw = -Math.PI / 2; show(now); });
  $("home").addEventListener("click", () => { camera = home(); $("follow").checked = false; show(now); });
  window.addEventListener("resize", () => show(now));

  // --- what colours mean ---
  const row = (colour, text) => { const line = document.createElement("div"), patch = document.createElement("span"); patch.style.background = colour; line.append(patch, text); $("legend").append(line); };
  data.runs.forEach((run) => row(run.palette[0], `${run.name} (${run.plant})${run.failure ? ": " + run.failure : ""}`));
  row("#c8107a", `force on the robot; the arrow in the corner is ${data.runs[0].scale.force} N`);
  if (data.runs.some((run) => run.phase.includes("jam"))) row(data.runs[0].palette[4], "jam");
  if (data.runs.some((run) => run.phase.includes("resolution"))) row(data.runs[0].palette[5], "resolution of a jam");
  if (runs.some((run) => run.grade.some((g) => g !== 3))) row(data.grades[0], "push-points: they carry 1.5 times the friction or more; orange: 1 to 1.5; red: less");
  if (data.runs[0].groundFirst) $("ground").checked = true;
  if (runs.length > 1) $("pair").hidden = false;

  if (gl) { prepare(); ball = stages[0].eyes && unitBall(); }
  function unitBall() {
    const v = [], f = [], n = 10;
    for (let i = 0; i <= n; i++) for (let j = 0; j <= 2 * n; j++) { const a = Math.PI * i / n, b = Math.PI * j / n; v.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)); }
    const m = 2 * n + 1;
    for (let i = 0; i < n; i++) for (let j = 0; j < 2 * n; j++) { const a = i * m + j; f.push(a, a + m, a + m + 1, a, a + m + 1, a + 1); }
    const places_ = new Float32Array(v), indices = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(f), gl.STATIC_DRAW);
    const made = buffer(places_);
    return { v: made, n: made, f: indices, count: f.length };
  }
  show(begin);
  window.pushpoint = {
    show, play, pause, runs, begin, end,
    get now() { return now; }, get frames() { return frames; },
    row: (k = 0) => runs[k].rows[shown[k]],
    pose: (k = 0) => { const run = runs[k], n = run.links, i = shown[k] * n; return { position: Array.from(run.position.subarray(3 * i, 3 * (i + n))), turn: Array.from(run.turn.subarray(4 * i, 4 * (i + n))) }; },
  };
})();
