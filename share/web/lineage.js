// The picture of what reads what: tables and views as nodes, a column for each level, sources left.
// One stop of the Tab key: from there the arrow keys go along the edges and within a level.

import {KeyedElements, arrange, setAttribute, setHidden, setText, svg} from './dom.js'
import {layout} from './graph.js'

const marks = {pending: '○', idle: '●', refreshing: '↻', error: '▲', refused: '✕'}

function shortened(text, length) {
    return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

function lastPart(table) {
    return table.split('.').at(-1)
}

// What stands below the name: what the name does not say already.
function aboutText({name, view}) {
    if (!view)
        return name.includes('.') ? `table in ${name.slice(0, name.lastIndexOf('.'))}` : 'table'
    if (!view.target) return 'no target'
    const samePart = lastPart(view.target) === name && view.target !== name
    return samePart
        ? `in ${view.target.slice(0, view.target.lastIndexOf('.'))}`
        : `→ ${view.target}`
}

// From station to station, level in and level out.
function curve(path) {
    const [first, ...rest] = path
    let [x, y] = [first.x + first.width, first.y + first.height / 2]
    let d = `M${x} ${y}`
    for (const station of rest) {
        const [toX, toY] = [station.x, station.y + station.height / 2]
        const half = (x + toX) / 2
        d += `C${half} ${y} ${half} ${toY} ${toX} ${toY}`
        x = toX
        y = toY
        if (station !== rest.at(-1)) d += `H${(x += station.width)}`
    }
    return d
}

// What a screen reader says: first what stands there to be seen.
function describe(node) {
    const names = ids => [...ids].map(id => id.slice(id.indexOf(':') + 1)).join(', ')
    const seen = node.view
        ? `${node.name} ${aboutText(node)}`
        : `${lastPart(node.name)} ${aboutText(node)}`
    return [
        node.view ? `${seen}: view, ${node.view.status}` : seen,
        node.sources.size ? `reads ${names(node.sources)}` : null,
        node.readers.size ? `read by ${names(node.readers)}` : null
    ]
        .filter(Boolean)
        .join('; ')
}

export class Lineage {
    // box: the scrolling element; empty: what is shown instead of an empty picture.
    constructor(box, empty, openView) {
        this.box = box
        this.empty = empty
        this.openView = openView
        this.edgeLayer = svg('g', {class: 'edges', 'aria-hidden': 'true'})
        this.nodeLayer = svg('g', {class: 'nodes'})
        this.picture = svg(
            'svg',
            {
                class: 'lineage',
                role: 'group',
                'aria-label': 'Lineage: arrow keys follow what reads what, Enter opens a view'
            },
            svg(
                'defs',
                {},
                svg(
                    'marker',
                    {
                        id: 'arrow',
                        viewBox: '0 0 8 8',
                        refX: 8,
                        refY: 4,
                        markerWidth: 7,
                        markerHeight: 7,
                        orient: 'auto'
                    },
                    svg('path', {d: 'M0 0 8 4 0 8Z'})
                )
            ),
            this.edgeLayer,
            this.nodeLayer
        )
        box.append(this.picture)
        this.nodes = new KeyedElements(node => this.#makeNode(node))
        this.edges = new KeyedElements(edge => this.#makeEdge(edge))
        this.graph = layout([])
        this.current = null
        this.picture.addEventListener('keydown', event => this.#key(event))
        this.picture.addEventListener('focusin', () => this.#light())
        this.picture.addEventListener('focusout', () => this.#light())
    }

    // views: all of them; shown: the names whose lineage is wanted.
    update(views, shown) {
        this.graph = layout(views, shown)
        const {nodes, edges, width, height} = this.graph
        setHidden(this.empty, nodes.size > 0)
        setHidden(this.picture, nodes.size === 0)
        setAttribute(this.picture, 'viewBox', `0 0 ${width} ${height}`)
        setAttribute(this.picture, 'width', width)
        setAttribute(this.picture, 'height', height)
        if (!nodes.has(this.current)) this.current = nodes.keys().next().value ?? null
        arrange(
            this.nodeLayer,
            this.nodes.update([...nodes.values()], node => node.id).map(part => part.element)
        )
        arrange(
            this.edgeLayer,
            this.edges
                .update(edges, edge => `${edge.from.id}\n${edge.to.id}`)
                .map(part => part.element)
        )
        this.#light()
    }

    #makeNode(first) {
        const mark = svg('text', {class: 'mark', x: 12, y: 18})
        const name = svg('text', {class: 'name', x: first.view ? 28 : 12, y: 18})
        const about = svg('text', {class: 'about', x: first.view ? 28 : 12, y: 33})
        const title = svg('title')
        const element = svg(
            'g',
            {
                class: first.view ? 'node view' : 'node table',
                'data-node': first.id,
                role: first.view ? 'link' : 'img'
            },
            title,
            svg('rect', {rx: first.view ? 6 : 0}),
            first.view ? mark : null,
            name,
            about
        )
        element.addEventListener('click', () => this.#activate(first.id))
        element.addEventListener('mouseenter', () => this.#light(first.id))
        element.addEventListener('mouseleave', () => this.#light())
        return {
            element,
            update: node => {
                setAttribute(element, 'transform', `translate(${node.x} ${node.y})`)
                setAttribute(element, 'tabindex', node.id === this.current ? 0 : -1)
                setAttribute(element, 'data-status', node.view?.status)
                const rect = element.querySelector('rect')
                setAttribute(rect, 'width', node.width)
                setAttribute(rect, 'height', node.height)
                setText(title, describe(node))
                setText(mark, node.view ? (marks[node.view.status] ?? '?') : '')
                setText(
                    name,
                    shortened(node.view ? node.name : lastPart(node.name), node.view ? 22 : 24)
                )
                setText(about, shortened(aboutText(node), node.view ? 26 : 28))
            }
        }
    }

    #makeEdge() {
        const element = svg('path', {class: 'edge', 'marker-end': 'url(#arrow)'})
        return {element, update: ({path}) => setAttribute(element, 'd', curve(path))}
    }

    // What belongs to the node under the pointer or the focus stands out.
    #light(
        id = this.picture.contains(document.activeElement)
            ? document.activeElement.dataset.node
            : null
    ) {
        const related = id ? this.graph.related(id) : null
        setAttribute(this.picture, 'data-lit', related ? 'yes' : null)
        for (const [key, part] of this.nodes.parts)
            part.element.classList.toggle('lit', Boolean(related?.has(key)))
        for (const [key, part] of this.edges.parts) {
            const [from, to] = key.split('\n')
            part.element.classList.toggle('lit', Boolean(related?.has(from) && related.has(to)))
        }
    }

    #activate(id) {
        this.focus(id)
        const node = this.graph.nodes.get(id)
        if (node?.view) this.openView(node.name)
    }

    focus(id) {
        if (!this.graph.nodes.has(id)) return
        this.current = id
        for (const [key, part] of this.nodes.parts)
            setAttribute(part.element, 'tabindex', key === id ? 0 : -1)
        this.nodes.parts.get(id).element.focus()
    }

    #key(event) {
        const node = this.graph.nodes.get(this.current)
        if (!node) return
        const steps = {
            ArrowLeft: () => [...node.sources][0],
            ArrowRight: () => [...node.readers][0],
            ArrowUp: () => this.graph.beside(node, -1),
            ArrowDown: () => this.graph.beside(node, 1)
        }
        if (event.key === 'Enter' || event.key === ' ') this.#activate(node.id)
        else if (event.key in steps) this.focus(steps[event.key]())
        else return
        event.preventDefault()
    }
}
