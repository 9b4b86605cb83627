// What reads what, laid out in levels: a table that no view makes is on level 0, a view one right
// of the last of its sources. Plain data in and out; nothing is drawn here.

const WIDTH = 216
const HEIGHT = 42
const ACROSS = 84
const DOWN = 14
const PASS = 4 // the height of a place where an edge passes through a level
const MARGIN = 12

// The nodes (id → {id, name, view, sources, readers}) of all views and of the tables they read.
function connect(views) {
    const nodes = new Map()
    const node = (id, name, view) => {
        if (!nodes.has(id)) nodes.set(id, {id, name, view, sources: new Set(), readers: new Set()})
        return nodes.get(id)
    }
    const makers = new Map()
    for (const view of views) {
        const maker = node(`view:${view.name}`, view.name, view)
        if (view.target) makers.set(view.target, maker)
    }
    for (const view of views) {
        const reader = nodes.get(`view:${view.name}`)
        for (const table of sourcesOf(view)) {
            const source = makers.get(table) ?? node(`table:${table}`, table, null)
            source.readers.add(reader.id)
            reader.sources.add(source.id)
        }
    }
    return nodes
}

function sourcesOf(view) {
    return view.sources?.length ? view.sources : [view.source].filter(Boolean)
}

// All that can be reached from `starts` along `side` ('sources' or 'readers'), `starts` with it.
function reach(nodes, starts, side) {
    const found = new Set(starts)
    for (const id of found) for (const next of nodes.get(id)[side]) found.add(next)
    return found
}

function around(nodes, starts) {
    return new Set([...reach(nodes, starts, 'sources'), ...reach(nodes, starts, 'readers')])
}

function reduced(nodes, kept) {
    const inside = ids => new Set([...ids].filter(id => kept.has(id)))
    const result = new Map()
    for (const [id, node] of nodes)
        if (kept.has(id))
            result.set(id, {...node, sources: inside(node.sources), readers: inside(node.readers)})
    return result
}

function giveLevels(nodes) {
    const levelOf = (node, path) => {
        if (node.level !== undefined) return node.level
        if (path.has(node.id)) return 0 // a circle, which the host refuses: drawn all the same
        path.add(node.id)
        const levels = [...node.sources].map(id => levelOf(nodes.get(id), path))
        path.delete(node.id)
        node.level = levels.length ? Math.max(...levels) + 1 : 0
        return node.level
    }
    for (const node of nodes.values()) levelOf(node, new Set())
}

// An edge over several levels gets a place of its own in each level between, so that it does not
// run behind the nodes there. Gives the levels with these places, and each edge as its stations.
function route(nodes) {
    const count = Math.max(-1, ...[...nodes.values()].map(node => node.level)) + 1
    const levels = Array.from({length: count}, () => [])
    const joined = (item, level) => ({item, level, name: item?.name ?? '', before: [], after: []})
    const stations = new Map()
    const add = station => {
        levels[station.level].push(station)
        return station
    }
    for (const node of nodes.values()) stations.set(node.id, add(joined(node, node.level)))
    const edges = []
    for (const node of nodes.values())
        for (const id of node.sources) {
            const path = [stations.get(id)]
            for (let level = nodes.get(id).level + 1; level < node.level; ++level)
                path.push(add(joined(null, level)))
            path.push(stations.get(node.id))
            path.slice(1).forEach((station, index) => {
                station.before.push(path[index])
                path[index].after.push(station)
            })
            edges.push({from: nodes.get(id), to: node, path})
        }
    return {levels, edges}
}

// Puts each station near the middle of those it is joined to, going through the levels to and fro.
function order(levels) {
    const number = level =>
        level.forEach((station, index) => (station.at = (index + 0.5) / level.length))
    const sweep = (walk, side) =>
        walk.forEach(level => {
            const middle = new Map(
                level.map(station => {
                    const ends = station[side].map(other => other.at)
                    return [
                        station,
                        ends.length
                            ? ends.reduce((sum, at) => sum + at, 0) / ends.length
                            : station.at
                    ]
                })
            )
            level.sort((a, b) => middle.get(a) - middle.get(b) || (a.name < b.name ? -1 : 1))
            number(level)
        })
    levels.forEach(level => level.sort((a, b) => (a.name < b.name ? -1 : 1)))
    levels.forEach(number)
    for (let turn = 0; turn < 3; ++turn) {
        sweep(levels, 'before')
        sweep([...levels].reverse(), 'after')
    }
    sweep(levels, 'before')
}

function heightOf(station) {
    return station.item ? HEIGHT : PASS
}

function middleOf(station) {
    return station.y + heightOf(station) / 2
}

// Puts a level's stations where `wanted` says, in their order, apart from each other and above
// `end`.
function stack(level, end, wanted) {
    let free = MARGIN
    for (const station of level) {
        station.y = Math.max(free, wanted(station) ?? free)
        free = station.y + heightOf(station) + DOWN
    }
    let limit = end
    for (const station of [...level].reverse()) {
        station.y = Math.min(station.y, limit - heightOf(station))
        limit = station.y - DOWN
    }
}

// Gives each station its x and y, and the height of the whole: the longest level stands as it is,
// and the others beside what they are joined to.
function put(levels) {
    const used = level =>
        level.reduce((sum, station) => sum + heightOf(station) + DOWN, 2 * MARGIN - DOWN)
    const heights = levels.map(used)
    const height = Math.max(2 * MARGIN, ...heights)
    const longest = heights.indexOf(height)
    const beside = side => station => {
        const ends = station[side].map(middleOf)
        if (!ends.length) return undefined
        return ends.reduce((sum, y) => sum + y, 0) / ends.length - heightOf(station) / 2
    }
    const end = height - MARGIN
    if (levels.length) stack(levels[longest], end, () => undefined)
    for (let left = longest - 1; left >= 0; --left) stack(levels[left], end, beside('after'))
    for (const level of levels.slice(longest + 1)) stack(level, end, beside('before'))
    levels.forEach((level, column) => {
        for (const station of level) {
            const x = MARGIN + column * (WIDTH + ACROSS)
            Object.assign(station, {x, width: WIDTH, height: heightOf(station)})
            const {y, width, height} = station
            if (station.item) Object.assign(station.item, {x, y, width, height})
        }
    })
    return height
}

// shown: the names of the views that are wanted, with all that they read and that reads them.
// Gives {nodes, edges: [{from, to, path}], width, height, related(id) → ids,
// beside(node, step) → id}.
export function layout(views, shown = views.map(view => view.name)) {
    const all = connect(views)
    const wanted = shown.map(name => `view:${name}`).filter(id => all.has(id))
    const nodes = reduced(all, around(all, wanted))
    giveLevels(nodes)
    const {levels, edges} = route(nodes)
    order(levels)
    const height = put(levels)
    const columns = levels.map(level => level.filter(({item}) => item).map(({item}) => item))
    return {
        nodes: new Map(columns.flat().map(node => [node.id, node])),
        edges,
        height,
        width: Math.max(0, levels.length * (WIDTH + ACROSS) - ACROSS) + 2 * MARGIN,
        related: id => around(nodes, [id]),
        beside: (node, step) => columns[node.level][columns[node.level].indexOf(node) + step]?.id
    }
}
