// Bars of the last refreshes, oldest first: a small picture in a card's head, two with their
// figures in its details.

import {svg} from './dom.js'
import {count, counted, duration, exact} from './format.js'

const SLOTS = 20

const measures = {
    seconds: {title: 'Duration', of: refresh => refresh.seconds ?? 0, text: duration},
    rows: {title: 'Rows read', of: refresh => refresh.rows_read ?? 0, text: count}
}

// What a bar is coloured by.
function kindOf(refresh) {
    return refresh.error ? 'error' : (refresh.action ?? 'none')
}

// The bars' places: {refresh, x, width, height}, the newest in the last slot.
function place(history, shape, measure) {
    const shown = history.slice(0, SLOTS)
    const largest = Math.max(...shown.map(measure.of))
    return shown
        .map((refresh, index) => ({
            refresh,
            x: (SLOTS - 1 - index) * shape.step,
            width: shape.step - 2,
            // A refresh that took nothing is there to be seen all the same.
            height: Math.max(2, largest > 0 ? (measure.of(refresh) / largest) * shape.height : 0)
        }))
        .reverse()
}

function picture(history, shape, measure, marks) {
    const width = shape.step * SLOTS
    return svg(
        'svg',
        {
            class: shape.class,
            role: 'img',
            width,
            height: shape.height,
            viewBox: `0 0 ${width} ${shape.height}`,
            'aria-label':
                `${measure.title} of the last ` +
                `${counted(history.length, 'refresh', 'refreshes')}: ` +
                `newest ${measure.text(measure.of(history[0]))}, ` +
                `largest ${largestOf(history, measure)}`
        },
        marks
    )
}

// One path for each kind of refresh: there are as many of these pictures as views.
export function sparkline(history) {
    const shape = {class: 'spark', step: 5, height: 26}
    const paths = new Map()
    for (const {refresh, x, width, height} of place(history, shape, measures.seconds)) {
        const kind = kindOf(refresh)
        const bar = `M${x} ${shape.height}v${-height}h${width}v${height}z`
        paths.set(kind, (paths.get(kind) ?? '') + bar)
    }
    const marks = [...paths].map(([kind, d]) => svg('path', {class: `bar ${kind}`, d}))
    return picture(history, shape, measures.seconds, marks)
}

export function chart(history, name) {
    const shape = {class: 'chart', step: 14, height: 56}
    const measure = measures[name]
    const marks = place(history, shape, measure).map(({refresh, x, width, height}) => {
        const value = measure.text(measure.of(refresh))
        const text = `${exact(refresh.started)}: ${refresh.action}, ${value}`
        return svg(
            'rect',
            {class: `bar ${kindOf(refresh)}`, x, y: shape.height - height, width, height, rx: 1},
            svg('title', {}, text)
        )
    })
    return picture(history, shape, measure, marks)
}

function largestOf(history, measure) {
    return measure.text(Math.max(...history.map(measure.of)))
}

// "Duration, up to 0.85 s"
export function caption(history, name) {
    return `${measures[name].title}, up to ${largestOf(history, measures[name])}`
}
