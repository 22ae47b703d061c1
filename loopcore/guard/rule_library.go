package guard

import (
	"strings"

	"fixloop/loopcore"
)

// libraryHomes are the folders in which a test library keeps its own sources.
var libraryHomes = map[lang][]string{
	langGo:     {"assert/assertions.go", "gomega_dsl.go", "cmp/compare.go"},
	langJava:   {"org/junit/", "org/assertj/", "org/mockito/", "org/hamcrest/", "io/kotest/", "org/testng/", "com/google/common/truth/"},
	langKotlin: {"org/junit/", "org/assertj/", "org/mockito/", "io/kotest/", "kotlin/test/", "io/mockk/", "assertk/"},
	langC:      {"gtest/gtest.h", "catch2/", "doctest/parts/", "unity.h", "boost/test/"},
	langCSharp: {"xunit.assert/", "NUnitFramework/", "Shouldly/", "FluentAssertions/"},
	langPHP:    {"src/Framework/Assert.php"},
	langRuby:   {"lib/minitest/assertions.rb", "lib/rspec/matchers.rb", "lib/test/unit/assertions.rb"},
	langPython: {"_pytest/", "unittest/case.py", "testtools/", "hamcrest/core/"},
	langElixir: {"lib/ex_unit/"},
	langSwift:  {"Sources/XCTest/", "Sources/Testing/", "Sources/Nimble/"},
	langJS:     {"packages/expect/", "lib/chai/", "lib/assert.js"},
}

// vendored says whether a path lies in a copy of somebody else's project.
func vendored(p string) bool {
	return hasSeg(p, "third_party", "third-party", "thirdparty", "3rdparty", "vendored", "_vendor", "vendor", "extern", "external", "contrib", "submodules")
}

// providesLibrary says whether the baseline is the project of a test library
// itself: what would shadow the library elsewhere is its own code here.
func (d *diff) providesLibrary(l lang) bool {
	if known, ok := d.library[l]; ok {
		return known
	}
	d.library[l] = d.holdsLibrary(l)
	return d.library[l]
}

func (d *diff) holdsLibrary(l lang) bool {
	if d.in.Before == nil {
		return false
	}
	for _, p := range d.in.Before.List() {
		if isInstalled(p) || inTestDir(p) && l != langC || vendored(p) || l == langC && hasSeg(p, "lib", "libs") {
			continue
		}
		for _, home := range libraryHomes[l] {
			if strings.Contains(p, "/"+home) || strings.HasPrefix(p, home) {
				return true
			}
		}
	}
	return false
}

// libraryPackageRE declares a package of a test library of the JVM.
var libraryPackageRE = lazily(`(?m)^package (org\.junit|org\.assertj|org\.mockito|org\.hamcrest|io\.kotest|kotlin\.test)`)

// libraryNamespaceRE declares a namespace of a test library of .NET.
var libraryNamespaceRE = lazily(`(?m)^\s*namespace (Xunit|NUnit\.Framework|Microsoft\.VisualStudio\.TestTools)`)

// shadowModule reports a new local module of the name of a test library: R05.
func (d *diff) shadowModule(f *fileDiff) {
	if f.old != nil || f.new == nil || f.role == roleInstalled {
		return
	}
	p := f.path()
	stem := strings.TrimSuffix(baseName(p), ext(p))
	if stem == "__init__" || stem == "index" || stem == "mod" || stem == "lib" {
		stem = baseName(dirOf(p))
	}
	shadow := false
	switch f.newU.lang {
	case langPython:
		switch stem {
		case "pytest", "unittest", "hypothesis", "nose", "numpy", "mock", "_pytest", "pytest_asyncio", "testtools", "hamcrest", "assertpy":
			shadow = dirOf(p) == "." || dirOf(p) == "tests" || dirOf(p) == "test" || dirOf(p) == "src" || dirOf(dirOf(p)) == "."
		}
	case langRuby:
		shadow = (stem == "minitest" || stem == "rspec" || stem == "autorun") && hasSeg(p, "lib", "test", "spec")
	case langElixir:
		shadow = strings.Contains(f.newU.src, "defmodule ExUnit")
	case langPHP:
		shadow = strings.Contains(f.newU.src, `namespace PHPUnit\`)
	case langJava, langKotlin:
		shadow = libraryPackageRE.MatchString(f.newU.src)
	case langCSharp:
		shadow = libraryNamespaceRE.MatchString(f.newU.src)
	case langSwift:
		shadow = strings.Contains(p, "XCTest/") || strings.Contains(p, "Sources/Testing/")
	case langC:
		shadow = hasAny(p, "gtest/gtest.h", "catch2/", "catch.hpp", "doctest.h", "unity.h") || baseName(p) == "assert.h" || baseName(p) == "gtest.h"
		shadow = shadow && len(f.new.Data) < 20000
	}
	if shadow && !d.providesLibrary(f.newU.lang) {
		d.report("R05", loopcore.SevBlock, p, 1, "a local module takes the place of a test library")
	}
}
