// One thing that takes bytes from outside, and what must hold whatever they are.
//
// Each target's file defines the functions below; driver.cpp or libfuzzer.cpp calls them. One
// thread.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace ivm::fuzz {

// The folder of findings: "parser".
QString targetName();

// How many mutated seeds the default run plays: about a second's worth at most.
int usualInputs();

// Inputs that mean something, to start from.
QList<QByteArray> seeds();

// Pieces that mutations put in.
QList<QByteArray> words();

// What is wrong with what the target makes of the input; empty when all holds.
QString complaint(const QByteArray &input);

}  // namespace ivm::fuzz
